package dev.mainstay.core.classify;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The phrases of all rules, numbered, so that one {@link Automaton} finds them all in one pass. */
final class PhraseNumbers {
  private final Map<Phrase, Integer> numbers = new LinkedHashMap<>();

  /** The numbers of {@code phrases}; those that have none get one. */
  int[] of(List<Phrase> phrases) {
    return phrases.stream().mapToInt(this::number).toArray();
  }

  /** Numbers the phrases of {@code table}. */
  void add(RuleTable table) {
    for (var rule : table.rules()) {
      rule.when().matches().forEach(match -> match.phrases().forEach(this::number));
    }
  }

  private int number(Phrase phrase) {
    var number = numbers.get(phrase);
    if (number == null) {
      number = numbers.size();
      numbers.put(phrase, number);
    }
    return number;
  }

  /** How many phrases have a number. */
  int size() {
    return numbers.size();
  }

  /** What finds those that have a number now. */
  Automaton automaton() {
    return new Automaton(List.copyOf(numbers.keySet()));
  }
}
