package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Evidence decides in order: who ended it, then the name of a lasting cause, then what the
 * provider's table knows, and a status last.
 */
class EvidenceOrderTest {
  @Test
  void everyClientsWordsForTheSameEndMeanTheSame() {
    var score = Score.of(Labelled.lines("order.jsonl"));
    assertThat(score.dangerous()).isEmpty();
    assertThat(score.wrong()).isEmpty();
  }

  @Test
  void aClosedClientIsOneWhateverIsSaidAroundIt() {
    var verdict =
        client(
            "openai.APIConnectionError: Connection error.\n\nCaused by: RuntimeError: Cannot send a"
                + " request, as the client has been closed.");
    assertThat(verdict.kind()).isEqualTo(Kind.CLIENT_CLOSED);
    assertThat(verdict.repair()).isEqualTo(Repair.REFRESH_CLIENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"400 {\\\"error\\\":{\\\"message\\\":\\\"x\\\",\\\"code\\\":\\\"context_length_exceeded\\\"}}\",\"type\":\"server_error\",\"code\":500}}",
        "{\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"{\\\"error\\\":{\\\"message\\\":\\\"x\\\",\\\"code\\\":\\\"invalid_api_key\\\"}}\"}}",
        "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"{\\\"error\\\":{\\\"message\\\":\\\"Overloaded\\\",\\\"code\\\":\\\"model_not_found\\\"}}\"}}",
        "{\"detail\":\"litellm.BadRequestError: Error code: 400 - the request was refused\"}",
        "{\"error\":{\"message\":\"Upstream request failed: 403 Provider returned error\",\"type\":\"upstream_error\"}}"
      })
  void aLastingCauseIsNotHopedAwayByWhatWrapsIt(String body) {
    for (int status : new int[] {500, 502, 503}) {
      assertThat(http(status, body).failureClass())
          .as("%s within a %s", body, status)
          .isNotEqualTo(FailureClass.TRANSIENT);
    }
  }

  @Test
  void aQuotaNamedInAFieldCountsBeforeAWaitAndAWaitBeforeWords() {
    var words = "You exceeded your current quota, please check your plan and billing details.";
    var wait = "{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"1.3s\"}";
    var day = "{\"violations\":[{\"quotaId\":\"GenerateRequestsPerDayPerProjectPerModel\"}]},";
    var body =
        "{\"error\":{\"code\":429,\"message\":\"%s\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[%s]}}";
    var passes = http(429, body.formatted(words, wait));
    assertThat(passes.kind()).isEqualTo(Kind.RATE_LIMIT);
    assertThat(passes.retryAfter()).hasMillis(1300);
    assertThat(http(429, body.formatted(words, day + wait)).kind()).isEqualTo(Kind.QUOTA_EXHAUSTED);
    assertThat(http(429, body.formatted(words, "")).kind()).isEqualTo(Kind.QUOTA_EXHAUSTED);
  }

  @Test
  void aProxyThatWantsALoginSaysNothingAboutTheProvidersKey() {
    assertThat(http(407, "").blame()).isEqualTo(Blame.GATEWAY);
    assertThat(
            client("OSError: Tunnel connection failed: 407 Proxy Authentication Required").blame())
        .isEqualTo(Blame.GATEWAY);
  }

  @Test
  void anUnknown5xxMayPassAndAnythingElseUnknownMayNot() {
    assertThat(http(500, "{\"x\":1}").label()).isEqualTo("TRANSIENT/server_error");
    assertThat(client("Zwölf Boxkämpfer").label()).isEqualTo("FATAL/other");
  }

  private static Verdict http(int status, String body) {
    return judge(new Facts("gemini", Where.HTTP, status, Headers.none(), body, null, null));
  }

  private static Verdict client(String text) {
    return judge(new Facts(null, Where.CLIENT, null, Headers.none(), null, text, null));
  }

  private static Verdict judge(Facts facts) {
    return Classifier.standard().classify(facts);
  }
}
