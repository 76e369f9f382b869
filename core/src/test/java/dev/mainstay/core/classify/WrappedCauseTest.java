package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * A cause that lasts stays one when a relay, a library or a retry wraps it in hope: a 500,
 * "Upstream request failed", "Connection error", "last error". Held against every labelled failure.
 */
class WrappedCauseTest {
  /** Below this share of lasting causes is hoped away by one of the wrappers. */
  private static final double HOPED_AWAY = 0.012;

  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void whatLastsIsNotHopedAwayByItsWrapper() {
    var classifier = Classifier.standard();
    int wrapped = 0;
    var hopedAway = new ArrayList<String>();
    for (var line : Labelled.lines("failures.jsonl")) {
      var facts = Score.facts(JSON.readTree(line));
      var text = facts.body() == null ? facts.message() : facts.body();
      if (text == null
          || text.isBlank()
          || !lasts(classifier.classify(alone(facts.provider(), text)))
          || !lasts(classifier.classify(facts))) {
        continue;
      }
      for (var around : wrappers(facts.provider(), text)) {
        wrapped++;
        var verdict = classifier.classify(around);
        if (verdict.failureClass() == FailureClass.TRANSIENT
            && !verdict.rule().startsWith("ended")) {
          hopedAway.add(verdict.label() + " by " + verdict.rule() + ": " + around);
        }
      }
    }
    assertThat(wrapped).isGreaterThan(10_000);
    assertThat((double) hopedAway.size() / wrapped)
        .as(() -> hopedAway.size() + " hoped away, for example " + String.join("\n", hopedAway))
        .isLessThan(HOPED_AWAY);
  }

  /** Whether a rule knows it, as a cause that lasts. */
  private static boolean lasts(Verdict verdict) {
    return verdict.failureClass() != FailureClass.TRANSIENT && verdict.kind() != Kind.OTHER;
  }

  private static List<Facts> wrappers(@Nullable String provider, String text) {
    var quoted = JSON.writeValueAsString(text);
    return List.of(
        http(provider, 500, "{\"error\":{\"message\":" + quoted + ",\"code\":500}}"),
        http(provider, 500, "{\"detail\":" + quoted + "}"),
        http(
            provider,
            500,
            "{\"error\":{\"message\":"
                + quoted
                + ",\"type\":\"upstream_error\",\"code\":\"bad_response_status_code\"}}"),
        alone(
            provider,
            "litellm.InternalServerError: InternalServerError: OpenAIException - " + text),
        alone(provider, "Request failed after 3 attempts, last error: " + text),
        alone(provider, "openai.APIConnectionError: Connection error.\n\nCaused by: " + text));
  }

  private static Facts http(@Nullable String provider, int status, String body) {
    return new Facts(provider, Where.HTTP, status, Headers.none(), body, null, null);
  }

  private static Facts alone(@Nullable String provider, String text) {
    return new Facts(provider, Where.CLIENT, null, Headers.none(), null, text, null);
  }
}
