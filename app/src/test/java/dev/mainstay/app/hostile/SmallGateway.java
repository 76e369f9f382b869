package dev.mainstay.app.hostile;

import dev.mainstay.app.GatewayProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A gateway in a process of its own, with a heap of 128 MB. */
final class SmallGateway implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

  private final Process process;
  private final Path log;
  private final HttpClient client = HttpClient.newHttpClient();
  final int port;

  SmallGateway(Path directory, String config) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    var file = Files.writeString(directory.resolve("mainstay.yaml"), config);
    log = directory.resolve("gateway.log");
    process =
        GatewayProcess.command(file, "-Xmx128m", "-XX:+ExitOnOutOfMemoryError")
            .directory(directory.toFile())
            .redirectOutput(log.toFile())
            .start();
    port = awaitPort();
  }

  private int awaitPort() throws IOException, InterruptedException {
    for (int i = 0; i < 2400 && process.isAlive(); i++) {
      var ready = READY.matcher(log());
      if (ready.find()) {
        return Integer.parseInt(ready.group(1));
      }
      process.waitFor(50, TimeUnit.MILLISECONDS);
    }
    throw new AssertionError("the gateway did not start: " + log());
  }

  String log() throws IOException {
    return Files.exists(log) ? Files.readString(log) : "";
  }

  boolean isAlive() {
    return process.isAlive();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofMinutes(5))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> chat(String model) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/chat/completions"))
            .timeout(Duration.ofMinutes(5))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"model\":\""
                        + model
                        + "\",\"messages\":[{\"role\":\"user\",\"content\":\"\"}]}"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Ends it as an operator would. */
  void terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      throw new AssertionError("it did not end within two minutes");
    }
  }

  @Override
  public void close() {
    client.close();
    process.destroyForcibly();
  }
}
