package dev.mainstay.gateway.admin;

import dev.mainstay.http.Loop;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.FailureCases;
import dev.mainstay.ledger.state.FailureCases.Case;
import dev.mainstay.ledger.state.FailureCases.Failure;
import dev.mainstay.ledger.state.FailureCases.Occurrences;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Puts failed attempts that mean the same together: one rule, one provider, one shape of message.
 * Counts in memory and hands the counts to the store every two seconds. Thread-safe.
 */
public final class FailureGroups {
  private static final Duration FLUSH = Duration.ofSeconds(2);

  /** Failures that wait to be looked at; beyond it they are counted in no case. */
  private static final int MOST_WAITING = 10_000;

  private static final int LONGEST = 300;

  /** What differs from one failure to the next: quoted texts, and words with a digit in them. */
  private static final Pattern PARTICULAR =
      Pattern.compile("\"[^\"]*\"|'[^']*'|`[^`]*`|[\\w.:/-]*[0-9][\\w.:/-]*");

  private final @Nullable FailureCases store;
  private final Loop loop;
  private final InstantSource clock;
  private List<AttemptRecord> waiting = new ArrayList<>();
  private boolean planned;

  public FailureGroups(@Nullable DurableState state, Loop loop, InstantSource clock) {
    store = state == null ? null : state.failureCases();
    this.loop = loop;
    this.clock = clock;
  }

  /** A call has ended. Cheap: for an event loop. */
  public void ended(CallRecord call, List<AttemptRecord> attempts) {
    if (store == null || !hasFailure(attempts)) {
      return;
    }
    synchronized (this) {
      for (var attempt : attempts) {
        if (attempt.verdict() != null && waiting.size() < MOST_WAITING) {
          waiting.add(attempt);
        }
      }
      if (!planned) {
        planned = true;
        var unused = loop.schedule(FLUSH, this::flush);
      }
    }
  }

  private static boolean hasFailure(List<AttemptRecord> attempts) {
    for (var attempt : attempts) {
      if (attempt.verdict() != null) {
        return true;
      }
    }
    return false;
  }

  /** Hands over what was counted. */
  private void flush() {
    List<AttemptRecord> seen;
    synchronized (this) {
      seen = waiting;
      waiting = new ArrayList<>();
      planned = false;
    }
    loop.blocking(
        () -> group(seen),
        (cases, failed) -> {
          if (cases != null && store != null) {
            var unused = store.seen(cases);
          }
        });
  }

  private List<Case> group(List<AttemptRecord> attempts) {
    Map<String, Case> cases = new HashMap<>();
    for (var attempt : attempts) {
      var one = one(attempt);
      cases.merge(one.id(), one, Case::and);
    }
    return List.copyOf(cases.values());
  }

  private Case one(AttemptRecord attempt) {
    var rule = attempt.rule() == null ? "" : attempt.rule();
    var verdict = String.valueOf(attempt.verdict());
    var message = shape(words(attempt.failure()));
    var provider = attempt.target().substring(0, Math.max(0, attempt.target().indexOf('/')));
    return new Case(
        id(rule + "\n" + provider + "\n" + verdict + "\n" + message),
        new Failure(rule, verdict, attempt.target(), message, attempt.reason()),
        Occurrences.once(clock.instant(), attempt.call()),
        null);
  }

  /** The provider's own words in the facts of a failure. */
  private static String words(@Nullable String facts) {
    if (facts == null) {
      return "";
    }
    try {
      var tree = Tree.read(facts);
      for (var name : List.of("body", "event", "message")) {
        if (tree.path(name).isString()) {
          return message(tree.path(name).asString());
        }
      }
    } catch (JacksonException e) {
      return "";
    }
    return "";
  }

  private static String message(String body) {
    try {
      var found = message(Tree.read(body));
      return found == null ? body : found;
    } catch (JacksonException e) {
      return body;
    }
  }

  private static @Nullable String message(JsonNode body) {
    for (var at : List.of("/error/message", "/0/error/message", "/message", "/detail", "/error")) {
      if (body.at(at).isString()) {
        return body.at(at).asString();
      }
    }
    return null;
  }

  /** A message without what is particular to one failure; also so that no prompt is in it. */
  public static String shape(String message) {
    var shape =
        PARTICULAR
            .matcher(message.length() > 10 * LONGEST ? message.substring(0, 10 * LONGEST) : message)
            .replaceAll("#")
            .replaceAll("\\s+", " ")
            .strip();
    return shape.length() > LONGEST ? shape.substring(0, LONGEST) : shape;
  }

  private static String id(String of) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(of.getBytes(StandardCharsets.UTF_8));
      return "case_" + HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
