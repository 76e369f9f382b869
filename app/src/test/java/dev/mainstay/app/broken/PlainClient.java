package dev.mainstay.app.broken;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Reads a dialect with parsers of our own. */
final class PlainClient implements Client {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Speaking dialect;
  private final String base;

  PlainClient(Speaking dialect, String base) {
    this.dialect = dialect;
    this.base = base;
  }

  @Override
  public Answered ask(String model, String more) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(base + dialect.path(model)))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(dialect.body(model, more)))
            .build();
    String body =
        client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)).body();
    return new Answered(dialect.read(body), body);
  }

  @Override
  public void close() {
    client.close();
  }
}
