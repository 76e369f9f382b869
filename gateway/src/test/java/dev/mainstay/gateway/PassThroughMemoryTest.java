package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.gateway.health.Health;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies four times as large as the heap pass both ways. */
@Timeout(300)
final class PassThroughMemoryTest {
  private static final long SIZE = 256L << 20;

  @Test
  void memoryStaysFlat() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try (var provider = new UploadProvider()) {
      var child =
          new ProcessBuilder(
                  java,
                  "-Xmx64m",
                  "-XX:+ExitOnOutOfMemoryError",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Child.class.getName(),
                  provider.url())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        int port = port(child.inputReader());
        assertThat(upload(port)).contains("HTTP/1.1 200").contains("\"bytes\":" + SIZE);
        assertThat(download(port)).isGreaterThan(SIZE);
        assertThat(child.isAlive()).isTrue();
      } finally {
        child.destroy();
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  /** Behind what is logged, which is read to its end lest the child waits for it. */
  private static int port(BufferedReader out) throws IOException {
    for (var line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(Child.PORT)) {
        Thread.startVirtualThread(() -> out.lines().forEach(_ -> {}));
        return Integer.parseInt(line.substring(Child.PORT.length()));
      }
    }
    throw new AssertionError("the child ended");
  }

  private static String upload(int port) throws IOException {
    try (var socket = new Socket("127.0.0.1", port)) {
      var out = socket.getOutputStream();
      out.write(
          ("POST /providers/up/files HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
                  + "content-length: "
                  + SIZE
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      var part = new byte[1 << 20];
      for (long sent = 0; sent < SIZE; sent += part.length) {
        out.write(part);
      }
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static long download(int port) throws IOException {
    try (var socket = new Socket("127.0.0.1", port)) {
      var ask =
          "GET /providers/up/bytes/"
              + SIZE
              + " HTTP/1.1\r\nhost: localhost\r\n"
              + "connection: close\r\n\r\n";
      socket.getOutputStream().write(ask.getBytes(StandardCharsets.US_ASCII));
      return socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }
  }

  /** A gateway alone in its process. */
  static final class Child {
    private static final String PORT = "port ";

    private Child() {}

    public static void main(String[] args) throws Exception {
      var config =
          Harness.parsed(
              """
              server: { port: 0 }
              providers:
                up: { dialect: openai, base-url: "%s/v1", keys: ["sk-planted-Provider0Key1SECRET"] }
              """
                  .formatted(args[0]));
      try (var gateway = Gateway.start(config, new Nowhere(), null, null)) {
        System.out.println(PORT + gateway.port());
        // Until the test destroys it.
        Thread.currentThread().join();
      }
    }
  }

  /** Keeps nothing. */
  private static final class Nowhere implements Recorder {
    @Override
    public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {}

    @Override
    public boolean flush(Duration patience) {
      return true;
    }

    @Override
    public Health health() {
      return new Health(null, 0, 0, 0, 0, 0);
    }
  }
}
