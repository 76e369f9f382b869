package dev.mainstay.core.classify;

import dev.mainstay.core.failure.Evidence;
import java.util.BitSet;

/** Which numbered phrases stand in which text of one failure. */
final class FoundPhrases {
  private final BitSet message;
  private final BitSet client;
  private final boolean clientSpeaks;

  FoundPhrases(Automaton automaton, Evidence evidence) {
    clientSpeaks = evidence.message().isEmpty();
    client = automaton.match(evidence.client());
    message = clientSpeaks ? client : automaton.match(evidence.message());
  }

  /** The first phrase from {@code from} on that stands in either text, or -1. */
  int next(int from) {
    int one = message.nextSetBit(from);
    int other = clientSpeaks ? -1 : client.nextSetBit(from);
    return one < 0 || other >= 0 && other < one ? other : one;
  }

  boolean in(Rule.Scope scope, int[] phrases) {
    return switch (scope) {
      case MESSAGE -> any(message, phrases);
      case CLIENT -> any(client, phrases);
      case ANY -> anywhere(phrases);
    };
  }

  boolean anywhere(int[] phrases) {
    return any(message, phrases) || !clientSpeaks && any(client, phrases);
  }

  private static boolean any(BitSet found, int[] phrases) {
    for (int phrase : phrases) {
      if (found.get(phrase)) {
        return true;
      }
    }
    return false;
  }
}
