package dev.mainstay.bench.durable;

import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** An agent's loop as one writes it in an afternoon: nothing of it survives the process. */
final class PlainLoop {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String models;
  private final String tool;

  /**
   * @param models base URL of the provider
   * @param tool URL of the one tool
   */
  PlainLoop(String models, String tool) {
    this.models = models;
    this.tool = tool;
  }

  /** Asks the model and calls its tools until it answers, and returns the answer. */
  String run(String model, String input) throws IOException, InterruptedException {
    var request = Tree.object().put("model", model);
    var messages = request.putArray("messages");
    messages.addObject().put("role", "user").put("content", input);
    request
        .putArray("tools")
        .addObject()
        .put("type", "function")
        .set("function", DurableBench.TOOL);
    while (true) {
      var message = ask(request).path("choices").path(0).path("message");
      var calls = message.path("tool_calls");
      if (calls.isEmpty()) {
        return message.path("content").asString();
      }
      messages.add(message);
      calls.forEach(call -> answer(messages, call));
    }
  }

  private void answer(ArrayNode messages, JsonNode call) {
    var body =
        Tree.object()
            .set("arguments", Tree.read(call.path("function").path("arguments").asString()));
    try {
      var result = http.send(post(tool, body), BodyHandlers.ofString()).body();
      messages
          .addObject()
          .put("role", "tool")
          .put("tool_call_id", call.path("id").asString())
          .put("content", result);
    } catch (IOException e) {
      throw new IllegalStateException("the tool failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** One answer of the model; after a failure it waits as Mainstay does, and asks again. */
  private JsonNode ask(JsonNode request) throws IOException, InterruptedException {
    while (true) {
      var reply = http.send(post(models + "/chat/completions", request), BodyHandlers.ofString());
      if (reply.statusCode() == 200) {
        return Tree.read(reply.body());
      }
      TimeUnit.MILLISECONDS.sleep(DurableBench.RETRY_DELAY.toMillis());
    }
  }

  private static HttpRequest post(String url, JsonNode body) {
    return HttpRequest.newBuilder(URI.create(url))
        .timeout(Duration.ofMinutes(1))
        .header("content-type", "application/json")
        .header("authorization", "Bearer k")
        .POST(HttpRequest.BodyPublishers.ofString(Tree.write(body)))
        .build();
  }
}
