package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Without client keys, what another site's page makes a browser on this machine ask. */
@Timeout(180)
final class ForeignPageTest {
  private static final String BODY = Harness.ask("assistant", false);

  private static String send(Harness h, String line, String headers, String body) {
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      var request =
          "%s HTTP/1.1\r\n%sconnection: close\r\ncontent-length: %d\r\n\r\n%s"
              .formatted(line, headers.replace("~", "\r\n"), body.length(), body);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host: evil.example~",
        "host: evil.example:8484~",
        "host: 192.168.1.5:8484~",
        "host: localhost.evil.example~",
        "host: 127.0.0.1.evil.example~",
        "host: 127.evil~",
        "host: 0.0.0.0:8484~",
        "host: [::2]~",
        "host: ~",
        "host: localhost~origin: https://evil.example~",
        "host: localhost~origin: null~",
        "host: localhost~origin: file://~",
        "host: localhost~origin: https://localhost.evil.example~",
        "host: localhost~origin: https://localhost:80@evil.example~",
        "host: localhost~origin: http://[::1].evil.example~",
        "host: localhost~origin: http://localhost/x~",
        "host: localhost~origin: http://localhost~origin: https://evil.example~",
        "host: localhost~origin: chrome-extension://abcdef~",
        "host: localhost~sec-fetch-site: cross-site~sec-fetch-mode: no-cors~"
      })
  void isRefusedWhateverItAsksFor(String headers) {
    try (var h = new Harness()) {
      for (var line :
          new String[] {
            "POST /v1/chat/completions",
            "GET /v1/chat/completions",
            "OPTIONS /v1/chat/completions",
            "GET /v1/models",
            "GET /v1/files",
            "POST /providers/one/files",
            "GET /nothing"
          }) {
        var body = line.startsWith("POST") ? BODY : "";
        assertThat(send(h, line, headers, body))
            .as(line)
            .startsWith("HTTP/1.1 403 ")
            .contains("\"code\":\"forbidden\"", "Host and Origin must name the loopback")
            .doesNotContain("access-control-allow");
      }
      assertThat(send(h, "POST /v1/messages", headers, BODY))
          .contains("\"type\":\"error\",\"error\":{\"type\":\"permission_error\"");
      assertThat(send(h, "POST /v1beta/models/m:generateContent", headers, BODY))
          .contains("\"status\":\"PERMISSION_DENIED\"");
      assertThat(send(h, "GET /api/calls", headers, ""))
          .startsWith("HTTP/1.1 40")
          .contains("\"allowed\":[]");
      assertThat(h.one.asked).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host: localhost~",
        "host: LOCALHOST.:8484~",
        "host: mainstay.localhost:8484~",
        "host: 127.0.0.1:1~",
        "host: 127.1.2.3~",
        "host: [::1]:8484~",
        "host: localhost~origin: http://localhost:3000~sec-fetch-site: same-site~",
        "host: localhost~origin: http://127.0.0.1:3000~sec-fetch-site: cross-site~",
        "host: 127.0.0.1~origin: https://[::1]:3000~"
      })
  void isToldFromThisMachinesOwn(String headers) {
    try (var h = new Harness()) {
      assertThat(send(h, "POST /v1/chat/completions", headers, BODY)).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void withKeysAnyNameIsAnswered() {
    try (var h = new Harness("clients: [{ name: team, key: team-key }]\n")) {
      var key = "authorization: Bearer team-key~";
      var headers = "host: gateway.example~origin: https://app.example~";
      assertThat(send(h, "POST /v1/chat/completions", key + headers, BODY))
          .startsWith("HTTP/1.1 200");
      assertThat(send(h, "POST /v1/chat/completions", headers, BODY)).startsWith("HTTP/1.1 401");
    }
  }
}
