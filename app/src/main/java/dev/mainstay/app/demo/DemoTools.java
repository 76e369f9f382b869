package dev.mainstay.app.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The tools of the demo's agents: looks up any order, pays any refund, and hangs up on every mail,
 * so that its sender cannot know whether it left.
 */
final class DemoTools implements AutoCloseable {
  private final HttpServer server;

  private DemoTools(HttpServer server) {
    this.server = server;
  }

  static DemoTools open() throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    answers(
        server,
        "/lookup",
        """
        {"order": "4711", "item": "a lamp", "paid": 20, "customer": "Ada", "state": "delivered"}\
        """);
    answers(server, "/refund", "{\"refunded\": true}");
    server.createContext("/mail", HttpExchange::close);
    server.start();
    return new DemoTools(server);
  }

  private static void answers(HttpServer server, String path, String json) {
    var bytes = json.getBytes(UTF_8);
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
