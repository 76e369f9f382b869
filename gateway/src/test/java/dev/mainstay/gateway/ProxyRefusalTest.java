package dev.mainstay.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a proxy between Mainstay and a provider refuses is the proxy's: the key stays in use. */
@Timeout(60)
final class ProxyRefusalTest {
  /** A proxy that answers every connection's first request with one status. */
  private static ServerSocket proxy(int status) throws IOException {
    var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  try (var socket = listening.accept()) {
                    var in =
                        new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), US_ASCII));
                    for (var line = in.readLine(); line != null && !line.isEmpty(); ) {
                      line = in.readLine();
                    }
                    var answer = "HTTP/1.1 " + status + " No\r\ncontent-length: 2\r\n\r\nno";
                    socket.getOutputStream().write(answer.getBytes(US_ASCII));
                  }
                }
              } catch (IOException e) {
                // The test is over.
              }
            });
    return listening;
  }

  @ParameterizedTest
  @CsvSource({
    "http, 407, FATAL/auth",
    "https, 407, FATAL/auth",
    "https, 401, FATAL/permission",
    "https, 403, FATAL/permission",
    "https, 429, FATAL/permission"
  })
  void blamesTheGatewaysSurroundings(String scheme, int status, String verdict) throws IOException {
    try (var proxy = proxy(status);
        var h =
            new Harness(
                "",
                "drain: 2s",
                null,
                "  far: { dialect: openai, base-url: \"%s://provider.test/v1\", keys: [k1], proxy: \"http://127.0.0.1:%d\" }\n"
                    .formatted(scheme, proxy.getLocalPort()))) {
      var answer = h.chat("far/m");
      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(Harness.header(answer, "x-mainstay-verdict")).isEqualTo(verdict);
      assertThat(Harness.header(answer, "x-should-retry")).isEqualTo("false");
      assertThat(answer.body())
          .contains(
              "\"blame\":\"gateway\"", "\"message\":\"A proxy between Mainstay and the provider ");
      assertThat(h.get("/health").body()).contains("\"state\":\"ready\"");
    }
  }
}
