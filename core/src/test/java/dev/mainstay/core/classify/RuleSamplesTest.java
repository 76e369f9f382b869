package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Verdict;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every rule that ships is there for a real failure, and still decides it. */
class RuleSamplesTest {
  private static final Classifier CLASSIFIER =
      Classifier.standard().at(InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")));

  @Test
  void everySampleGetsItsVerdictFromItsRule() {
    assertThat(problems()).isEmpty();
  }

  @Test
  void everyRuleHasASourceAndASampleAndAnIdOfItsOwn() {
    var problems = new ArrayList<String>();
    var ids = new HashMap<String, String>();
    for (var table : CLASSIFIER.allTables()) {
      for (var rule : table.rules()) {
        var place = rule.table() + ":" + rule.line() + " [" + rule.id() + "]";
        if (rule.source().isBlank()) {
          problems.add(place + " has no source");
        }
        if (rule.samples().isEmpty()) {
          problems.add(place + " has no sample");
        }
        var other = ids.putIfAbsent(rule.id(), place);
        if (other != null) {
          problems.add(place + " has the id of " + other);
        }
      }
    }
    assertThat(problems).isEmpty();
  }

  /** What is wrong with the samples of the rules that ship, a line each. */
  static List<String> problems() {
    var problems = new ArrayList<String>();
    for (var table : CLASSIFIER.allTables()) {
      for (var rule : table.rules()) {
        for (var sample : rule.samples()) {
          check(rule, sample, problems);
        }
      }
    }
    return problems;
  }

  private static void check(Rule rule, Rule.Sample sample, List<String> problems) {
    var place = rule.table() + ":" + sample.line() + " [" + rule.id() + "]";
    var verdict = CLASSIFIER.classify(facts(rule, sample));
    if (!verdict.rule().equals(rule.id())) {
      problems.add(place + " is decided by " + verdict.rule() + " as " + verdict.label());
      return;
    }
    var expected = new HashMap<>(sample.expected());
    expected.putIfAbsent("class", rule.then().failureClass().name());
    expected.putIfAbsent("kind", rule.then().kind().wireName());
    for (var wanted : expected.entrySet()) {
      var got = value(verdict, wanted.getKey());
      if (!wanted.getValue().equals(got)) {
        problems.add(
            place + " expects " + wanted.getKey() + "=" + wanted.getValue() + ", got " + got);
      }
    }
  }

  private static String value(Verdict verdict, String key) {
    var repair = verdict.repair();
    var wait = verdict.retryAfter();
    return switch (key) {
      case "class" -> verdict.failureClass().name();
      case "kind" -> verdict.kind().wireName();
      case "wait" -> wait == null ? "none" : plain(wait.toMillis() / 1000.0);
      case "retry" -> verdict.retrySame() ? "yes" : "no";
      case "fallback" -> verdict.fallback() ? "yes" : "no";
      case "alert" -> verdict.alert() ? "yes" : "no";
      case "repair" -> repair == null ? "none" : repair.wireName();
      default -> "?";
    };
  }

  private static String plain(double seconds) {
    return seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds);
  }

  private static Facts facts(Rule rule, Rule.Sample sample) {
    var own = rule.table().replace(".rules", "");
    @Nullable String provider = sample.provider();
    if (provider == null && !rule.when().providers().isEmpty()) {
      provider = rule.when().providers().iterator().next();
    }
    boolean body = sample.where() == Where.HTTP || sample.where() == Where.STREAM;
    return new Facts(
        provider == null ? own : provider,
        sample.where(),
        sample.status(),
        new Headers(sample.headers()),
        body ? sample.text() : null,
        body ? null : sample.text(),
        sample.ending());
  }
}
