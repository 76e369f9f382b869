package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What passes through costs what its characters, pictures and seconds cost. */
@Timeout(180)
final class MeteredCallsTest {
  private final Harness h =
      new Harness(
          """
          recording: { bodies: false }
          prices:
            - { model: spoken, unit: character, price: 20, source: test }
          """);

  @AfterEach
  void close() {
    h.close();
  }

  private RecordedCalls.RecordedCall speak(String body) {
    var answer = h.post("/v1/audio/speech", body, "user-agent", "OpenAI/Python");
    assertThat(answer.statusCode()).isLessThan(500);
    return h.kept.next();
  }

  @Test
  void aCallHasItsCostModelAndUnitAlsoWhereNoBodyIsKept() {
    var tale = speak("{\"model\":\"spoken\",\"input\":\"ten chars.\"}");
    assertThat(tale.call().costNanos()).isEqualTo(10 * 20_000);
    assertThat(tale.call().priceVersion()).isNotNull();
    assertThat(tale.call().modelAsked()).isEqualTo("spoken");
    assertThat(tale.call().target()).isEqualTo("one/spoken");
    var attempt = tale.attempts().getFirst();
    assertThat(attempt.costNanos()).isEqualTo(10 * 20_000);
    assertThat(attempt.reason()).contains("10 character of spoken");
    assertThat(tale.bodies()).isEmpty();
  }

  @Test
  void aPriceThatIsUnknownIsNotZero() {
    var tale = speak("{\"model\":\"new-voice\",\"input\":\"ten chars.\"}");
    assertThat(tale.call().costNanos()).isNull();
    assertThat(tale.call().tokens()).as("so that sums say that a price is missing").isNotNull();
    assertThat(speak("what is this").attempts().getFirst().reason())
        .contains("did not report its usage");
  }

  @Test
  void whatWasRefusedCostsNothing() {
    h.one.then(ScriptedProvider.json(400, "{\"error\":{\"message\":\"no\"}}"));
    var tale = speak("{\"model\":\"spoken\",\"input\":\"ten chars.\"}");
    assertThat(tale.call().costNanos()).isNull();
    assertThat(tale.call().tokens()).isNull();
  }
}
