package dev.mainstay.app.translation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.app.broken.Unrecorded;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.simulator.Answer;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.simulator.Step;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a client of one dialect says, a provider of another takes what comes of it: the
 * simulator refuses what the real one refuses, and shares no code with what translates.
 */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TranslationPropertyTest {
  private static final int CONVERSATIONS = Integer.getInteger("mainstay.crossings", 60);

  private static final List<String> TARGETS =
      List.of(
          "openai/gpt-4o",
          "openai/gpt-5.1",
          "anthropic/claude-sonnet-4-5",
          "anthropic/claude-opus-4-8",
          "mistral/mistral-large-latest",
          "mistral/mistral-small-latest",
          "gemini/gemini-2.5-flash",
          "gemini/gemini-3-pro");

  @SuppressWarnings("NullAway.Init")
  private Simulator simulator;

  @SuppressWarnings("NullAway.Init")
  private Gateway gateway;

  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeAll
  void start() throws Exception {
    // Whoever asks for JSON gets some.
    simulator =
        Simulator.start(
            0,
            Script.EMPTY.and(
                "*",
                Script.Model.of(
                    Step.answering(Answer.ofText("{\"place\":\"Oslo\"}")).times(1_000_000))));
    var sim = simulator.url();
    gateway =
        Gateway.start(
            ConfigLoader.parse(
                """
                server: { port: 0, drain: 1s }
                providers:
                  openai: { dialect: openai, base-url: "%s/openai/v1", keys: [k] }
                  mistral: { dialect: mistral, base-url: "%s/mistral", keys: [k] }
                  anthropic: { dialect: anthropic, base-url: "%s", keys: [k] }
                  gemini: { dialect: gemini, base-url: "%s", keys: [k] }
                recovery: { repairs: [], retry: { on: off }, breaker: { consecutive-failures: 100 } }
                recording: { bodies: false }
                """
                    .formatted(sim, sim, sim, sim),
                "test.yaml",
                Map.of()),
            new Unrecorded(),
            null);
  }

  @AfterAll
  void stop() {
    http.close();
    gateway.close();
    simulator.close();
  }

  static Stream<Arguments> pairs() {
    return Client.all().stream()
        .flatMap(
            client ->
                TARGETS.stream()
                    .filter(target -> crosses(client, target))
                    .map(target -> Arguments.of(client, target)));
  }

  private static boolean crosses(Client client, String target) {
    return switch (client) {
      case OPENAI, RESPONSES -> !target.startsWith("openai/");
      case ANTHROPIC -> !target.startsWith("anthropic/");
      case MISTRAL -> !target.startsWith("mistral/");
      case GEMINI -> !target.startsWith("gemini/");
    };
  }

  @ParameterizedTest(name = "{0} at {1}")
  @MethodSource("pairs")
  void whatIsTranslatedIsTaken(Client client, String target) throws Exception {
    var refused = new ArrayList<String>();
    int taken = 0;
    for (int seed = 0; seed < CONVERSATIONS; seed++) {
      var conversation = Conversation.of(seed);
      var body = client.body(conversation, target).toString();
      simulator.clearLog();
      var answer = ask(client, target, conversation.settings().stream(), body);
      var asked = simulator.log();
      if (asked.isEmpty()) {
        // What would change the meaning is refused by name, before anything is sent.
        assertThat(answer.body()).as("seed " + seed + ": " + body).contains("to a target of");
      } else if (asked.getFirst().answer().step().startsWith("refused")) {
        refused.add(
            "seed %d: %s%n  %s%n  %s"
                .formatted(seed, asked.getFirst().answer().step(), body, asked.getFirst().body()));
      } else {
        assertThat(answer.statusCode()).as("seed " + seed + ": " + answer.body()).isEqualTo(200);
        taken++;
      }
    }
    assertThat(refused).isEmpty();
    assertThat(taken).isGreaterThan(CONVERSATIONS / 2);
  }

  private HttpResponse<String> ask(Client client, String target, boolean stream, String body)
      throws Exception {
    var uri = URI.create("http://127.0.0.1:" + gateway.port() + client.path(target, stream));
    return http.send(
        HttpRequest.newBuilder(uri)
            .header("user-agent", client.agent())
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
