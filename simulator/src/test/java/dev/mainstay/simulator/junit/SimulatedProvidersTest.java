package dev.mainstay.simulator.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.simulator.Faults;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SimulatedProviders
@Scripted("models: { m: [ openai-server-error ] }")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedProvidersTest {
  private final Simulator own;

  SimulatedProvidersTest(Simulator simulator) {
    own = simulator;
  }

  private static int ask(Simulator simulator) throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(simulator.openAiUrl() + "/chat/completions"))
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"))
              .build();
      return client.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void beginsWithTheClasssScriptAndAnEmptyLog(Simulator simulator) throws Exception {
    assertThat(simulator).isSameAs(own);
    assertThat(simulator.log()).isEmpty();
    assertThat(ask(simulator)).isEqualTo(500);
    assertThat(ask(simulator)).isEqualTo(200);
    assertThat(simulator.log()).hasSize(2);
  }

  @Test
  void beginsAnewForEveryTest(Simulator simulator) throws Exception {
    beginsWithTheClasssScriptAndAnEmptyLog(simulator);
  }

  @Test
  @Scripted("models: { m: [ { status: 418 } ] }")
  void takesItsOwnScriptFirst(Simulator simulator) throws Exception {
    assertThat(ask(simulator)).isEqualTo(418);
  }

  @Test
  void canBeScriptedInJava(Simulator simulator) throws Exception {
    simulator.script(Script.of("m", Faults.step("openai-bad-key")));
    assertThat(ask(simulator)).isEqualTo(401);
  }

  @Nested
  class Inside {
    @Test
    void sharesTheSimulator(Simulator simulator) {
      assertThat(simulator).isSameAs(own);
    }
  }
}
