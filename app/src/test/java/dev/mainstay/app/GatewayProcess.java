package dev.mainstay.app;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A real {@code mainstay serve} on a free port. */
public final class GatewayProcess implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Process process;
  private final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<String> address = new CompletableFuture<>();

  private GatewayProcess(Process process) {
    this.process = process;
  }

  /** For tests that start a process for a few requests. */
  public static final String QUICK = "-XX:TieredStopAtLevel=1";

  /** The command that serves {@code config} on a free port, both outputs in one. */
  public static ProcessBuilder command(Path config, String... options) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.addAll(List.of(options));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("serve", "--config", config.toString(), "--port", "0"));
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  static GatewayProcess start(Path config) throws IOException {
    var folder = Objects.requireNonNull(config.getParent()).toFile();
    var gateway = new GatewayProcess(command(config, QUICK, "-Xmx256m").directory(folder).start());
    Thread.ofVirtual().start(gateway::listen);
    return gateway;
  }

  private void listen() {
    process
        .inputReader()
        .lines()
        .forEach(
            line -> {
              said.add(line);
              var found = ADDRESS.matcher(line);
              if (found.find()) {
                address.complete(found.group());
              }
            });
    address.completeExceptionally(new IllegalStateException("it ended: " + said));
  }

  String address() {
    return address.orTimeout(120, TimeUnit.SECONDS).join();
  }

  List<String> said() {
    return List.copyOf(said);
  }

  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Waits until the process has ended by itself. */
  void awaitEnd() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("it goes on: " + said);
    }
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** A chat completion; the headers are names and values in turn. */
  HttpResponse<String> ask(String model, String text, String... headers)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(address() + "/v1/chat/completions"))
            .timeout(Duration.ofMinutes(2))
            .POST(
                BodyPublishers.ofString(
                    "{\"model\":\"%s\",\"max_tokens\":50,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                        .formatted(model, text)));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path) throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(address() + path))
            .timeout(Duration.ofMinutes(2))
            .POST(BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(address() + path)).timeout(Duration.ofMinutes(2)).build(),
        BodyHandlers.ofString());
  }

  @Override
  public void close() throws IOException, InterruptedException {
    signal("CONT");
    kill();
  }
}
