package dev.mainstay.app.demo;

import dev.mainstay.app.FailedException;
import dev.mainstay.simulator.Script;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the studio has to show beside the script's calls: a support desk whose agents refund an
 * order, wait for a person and lose a mail, a client's own agent, a call that waits to be sent
 * again, and what a person thought of it all. Played over HTTP, as users do.
 */
final class SampleData {
  private static final Logger LOG = LoggerFactory.getLogger(SampleData.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
  private static final Set<String> ENDS = Set.of("completed", "failed", "cancelled", "dead_letter");

  private static final String REFUND =
      """
      models:
        desk/gpt-4o:
          script:
            - answer: { text: "I look the order up first.", tool-calls: [ { name: lookup, arguments: '{"order":"4711"}' } ] }
              drip: 20ms
            - openai-server-error
            - answer: { reasoning: "It was paid and delivered. The rules say what a broken lamp is worth.", tool-calls: [ { name: rules, arguments: '{"input":"A lamp arrived broken. What does the customer get?"}' } ] }
            - answer: "Goods that arrive broken: the whole price, within 30 days."
              drip: 20ms
            - answer: { text: "The rules allow a full refund.", tool-calls: [ { name: refund, arguments: '{"order":"4711","amount":20}' } ] }
            - answer: "Done: Ada has her 20 dollars for order 4711 back."
              drip: 20ms
      """;

  private static final String APPROVAL =
      """
      models:
        desk/gpt-4o:
          script:
            - answer: { text: "That is a large sum: a person decides.", tool-calls: [ { name: refund, arguments: '{"order":"4712","amount":900}' } ] }
            - { answer: "Done: I did with order 4712 as you decided.", times: 1000 }
      """;

  private static final String MAIL =
      """
      models:
        desk/gpt-4o:
          script:
            - answer: { tool-calls: [ { name: mail, arguments: '{"to":"ada@example.com","text":"Your refund is on its way."}' } ] }
            - { answer: "Done: Ada knows.", times: 1000 }
      """;

  private static final String REPORT =
      """
      models:
        openai/gpt-4o:
          script:
            - answer: "Three incidents: a rate limit at 02:10, a reset connection at 02:14, a slow region at 03:40."
            - openai-rate-limit
            - answer: "All three were over within a minute, and no customer noticed."
      """;

  private static final String LOST =
      """
      models:
        openai/gpt-4o: { script: [ { fault: openai-server-error, times: 1000 } ] }
      """;

  private final DemoEnvironment stage;
  private final HttpClient http;

  private SampleData(DemoEnvironment stage, HttpClient http) {
    this.stage = stage;
    this.http = http;
  }

  /** Plays it behind what the user does; a story that cannot go on ends there. */
  static void begin(DemoEnvironment stage) {
    Thread.ofVirtual()
        .name("mainstay-story")
        .start(
            () -> {
              try {
                play(stage);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (FailedException e) {
                LOG.warn("The studio's examples are not complete: {}", e.getMessage());
              }
            });
  }

  /** Plays it. */
  static void play(DemoEnvironment stage) throws InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      new SampleData(stage, http).play();
    } catch (IOException e) {
      throw new FailedException("the gateway did not answer: " + e.getMessage(), e);
    } finally {
      stage.play(Script.EMPTY);
    }
  }

  private void play() throws IOException, InterruptedException {
    var refund = run(REFUND, "My order 4711 arrived broken. I want my money back.");
    run(APPROVAL, "Order 4712 never arrived. It was 900 dollars.");
    run(MAIL, "Tell the customer of order 4711 that the refund is on its way.");
    stage.play(Script.parse(REPORT));
    ask("assistant", "What went wrong last night?", "x-mainstay-run", "nightly-report");
    ask("assistant", "Did a customer notice any of it?", "x-mainstay-run", "nightly-report");
    stage.play(Script.parse(LOST));
    ask("nightly", "Translate the report into French.", "x-mainstay-keep", "on");
    evaluate(refund, "{\"correct\": 1, \"tone\": 0.9}", "right, and kind about it", "ada");
    evaluate(refund, "{\"correct\": 1}", "the refund fits the rules", "judge");
    evaluate("nightly-report", "{\"correct\": 1, \"tone\": 0.7}", "a little dry", "ada");
  }

  /** Runs the support agent until it has ended or waits for a person; returns the run. */
  private String run(String script, String input) throws IOException, InterruptedException {
    stage.play(Script.parse(script));
    var body = JsonMapper.shared().createObjectNode().put("agent", "support").put("input", input);
    var run = send(post("/api/runs", body.toString())).path("run").asString("");
    long began = System.nanoTime();
    var shown = request("/api/runs/" + run);
    while (goesOn(send(shown))) {
      if (System.nanoTime() - began > PATIENCE.toNanos()) {
        throw new FailedException("the run " + run + " went on for " + PATIENCE.toSeconds() + " s");
      }
      Thread.sleep(LOOK_AGAIN);
    }
    return run;
  }

  /**
   * Whether neither its end nor a person is what is next; it may wait for a run that it started.
   */
  private static boolean goesOn(JsonNode run) {
    return !ENDS.contains(run.path("status").asString("")) && run.path("waits_for").isEmpty();
  }

  private void ask(String model, String question, String header, String value)
      throws IOException, InterruptedException {
    var body = JsonMapper.shared().createObjectNode().put("model", model);
    body.putArray("messages").addObject().put("role", "user").put("content", question);
    send(post("/v1/chat/completions", body.toString()).header(header, value));
  }

  private void evaluate(String run, String metrics, String note, String by)
      throws IOException, InterruptedException {
    var body = JsonMapper.shared().createObjectNode().put("run", run).put("note", note);
    body.set("metrics", JsonMapper.shared().readTree(metrics));
    send(post("/api/evaluations", body.put("by", by).toString()));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(stage.address() + path)).timeout(PATIENCE);
  }

  private HttpRequest.Builder post(String path, String json) {
    return request(path)
        .header("content-type", "application/json")
        .POST(BodyPublishers.ofString(json));
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return JsonMapper.shared().readTree(http.send(request.build(), BodyHandlers.ofString()).body());
  }
}
