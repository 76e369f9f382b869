package dev.mainstay.simulator;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A plain client: the JDK's, which knows nothing of any dialect. */
final class SimulatorClient implements AutoCloseable {
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(60))
          .build();
  private final Simulator simulator;

  SimulatorClient(Simulator simulator) {
    this.simulator = simulator;
  }

  HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    return send("POST", path, body, headers);
  }

  HttpResponse<String> send(String method, String path, String body, String... headers)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(simulator.url() + path))
            .timeout(Duration.ofSeconds(60))
            .method(method, BodyPublishers.ofString(body));
    if (headers.length > 0) request.headers(headers);
    return client.send(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> chat(String model, boolean stream) throws IOException, InterruptedException {
    return post(
        "/v1/chat/completions",
        "{\"model\":\""
            + model
            + "\",\"stream\":"
            + stream
            + ",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
  }

  /** The data of each event, in order. */
  static List<String> events(String body) {
    var events = new ArrayList<String>();
    for (String block : body.split("\n\n", -1)) {
      for (String line : block.split("\n", -1)) {
        if (line.startsWith("data: ")) events.add(line.substring(6));
      }
    }
    return events;
  }

  static JsonNode json(String text) {
    return Json.read(text);
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
