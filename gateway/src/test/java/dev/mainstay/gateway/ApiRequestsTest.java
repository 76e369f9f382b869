package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests under {@code /api} that the HTTP server or the API itself refuses, byte by byte. */
@Timeout(180)
final class ApiRequestsTest {
  private static final String HOST = "host: localhost~";
  private static final String LONG = "x".repeat(70_000);
  private static Harness h;

  @BeforeAll
  static void start() {
    h = new Harness("", "max-body: 1KiB");
  }

  @AfterAll
  static void stop() {
    h.close();
  }

  private static String send(String line, String headers, String body) throws IOException {
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      var request =
          "%s\r\n%sconnection: close\r\ncontent-length: %d\r\n\r\n%s"
              .formatted(line, headers.replace("~", "\r\n"), body.length(), body);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void isOfTheApi(String answer, int status, String code) {
    assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
    var error = Tree.read(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    assertThat(error.propertyNames()).containsExactly("error");
    assertThat(error.get("error").propertyNames()).containsExactly("code", "message", "allowed");
    assertThat(error.at("/error/code").asString()).isEqualTo(code);
    assertThat(h.kept.now()).as("a row for a request of the API").isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "GET /api/calls?q=LONG HTTP/1.1, host: localhost~, '', 414, uri_too_long",
    "GET /api/LONG HTTP/1.1, host: localhost~, '', 414, uri_too_long",
    "GET /api/calls HTTP/1.1, host: localhost~x-long: LONG~, '', 431, headers_too_large",
    "POST /api/runs HTTP/1.1, host: localhost~, LONG, 413, body_too_large",
    "GET /api/calls HTTP/1.1, host: localhost~host: localhost~, '', 400, invalid_request",
    "GET /api/calls HTTP/7.7, host: localhost~, '', 505, unknown_version",
    "GET /api/calls FTP, host: localhost~, '', 400, invalid_request",
    "GET /api/calls HTTP/1.1, host: localhost~bad header: x~, '', 400, invalid_request",
    "POST /api/runs HTTP/1.1, host: localhost~content-encoding: x~, {}, 415, unknown_encoding",
    "POST /api/runs HTTP/1.1, host: localhost~content-encoding: gzip~, {}, 400, invalid_request",
    "POST /api/runs HTTP/1.1, host: localhost~expect: x~, {}, 417, unknown_expectation",
    "GET /health HTTP/1.1, host: localhost~x-long: LONG~, '', 431, headers_too_large",
  })
  void whatTheServerRefusesHasTheApisShapeAndNoRow(
      String line, String headers, String body, int status, String code) throws Exception {
    var answer =
        send(line.replace("LONG", LONG), headers.replace("LONG", LONG), body.replace("LONG", LONG));
    isOfTheApi(answer, status, code);
  }

  @Test
  void whatIsForModelsKeepsTheDialectsShapeAndItsRow() throws Exception {
    var answer = send("GET /v1/models?x=" + LONG + " HTTP/1.1", HOST, "");
    assertThat(answer).startsWith("HTTP/1.1 414 ").contains("\"type\":\"invalid_request_error\"");
    assertThat(h.kept.next().call().path()).isEqualTo("/v1/models");
  }

  @Test
  void headAnswersLikeGetWithoutABody() throws Exception {
    for (var path : List.of("/api/breakers", "/api/config", "/api/openapi.json", "/api/calls/x")) {
      var get = send("GET " + path + " HTTP/1.1", HOST, "");
      var head = send("HEAD " + path + " HTTP/1.1", HOST, "");
      assertThat(head.lines().filter(line -> !line.startsWith("date") && !line.isEmpty()).toList())
          .as(path)
          .isEqualTo(
              get.lines()
                  .takeWhile(line -> !line.isEmpty())
                  .filter(line -> !line.startsWith("date"))
                  .toList());
    }
    // The stream's head, and no stream.
    assertThat(send("HEAD /api/live HTTP/1.1", HOST, ""))
        .startsWith("HTTP/1.1 200 ")
        .contains("text/event-stream")
        .endsWith("\r\n\r\n");
    var no = send("HEAD /api/breakers/x/reset HTTP/1.1", HOST, "");
    assertThat(no).startsWith("HTTP/1.1 405 ").contains("allow: POST\r\n");
    assertThat(send("PUT /api/breakers HTTP/1.1", HOST, "")).contains("allow: GET, HEAD\r\n");
  }

  @Test
  void anotherHostIsForbidden() throws Exception {
    var host = "host: evil.example~";
    isOfTheApi(send("GET /api/calls HTTP/1.1", host, ""), 403, "forbidden");
    isOfTheApi(
        send("GET /api/calls HTTP/1.1", HOST + "origin: https://evil.example~", ""),
        403,
        "forbidden");
    isOfTheApi(send("DELETE /api/session HTTP/1.1", host, ""), 403, "forbidden");
  }

  @Test
  void aLimitAboveTheMostIsRefusedWithTheRange() throws Exception {
    for (var list : List.of("breakers", "providers", "prices")) {
      var answer = send("GET /api/" + list + "?limit=1001 HTTP/1.1", HOST, "");
      isOfTheApi(answer, 400, "invalid_request");
      assertThat(answer).as(list).contains("\"allowed\":[\"1 to 1000\"]");
    }
  }
}
