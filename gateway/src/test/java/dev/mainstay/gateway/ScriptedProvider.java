package dev.mainstay.gateway;

import dev.mainstay.http.Exchange;
import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loops;
import dev.mainstay.http.ServerOptions;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A provider that does to each request what the test has scripted next; then answers well. */
final class ScriptedProvider implements AutoCloseable {
  /** What reached the provider. */
  record ReceivedRequest(String path, Map<String, String> headers, String body, long atNanos) {}

  static final String KEY = "sk-planted-Provider0Key1SECRET";

  private static final String ANSWER =
      "{\"id\":\"chatcmpl-1\", \"object\":\"chat.completion\",\"created\":1,\"model\":\"m\","
          + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},"
          + "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,"
          + "\"total_tokens\":6}}\n";

  private final Loops loops = Loops.start(1);
  private final HttpServer server;
  private final Queue<Consumer<Exchange>> script = new ArrayDeque<>();
  private volatile Consumer<Exchange> otherwise =
      exchange ->
          (exchange.body().toString(StandardCharsets.UTF_8).contains("\"stream\":true")
                  ? sse(answerEvents())
                  : json(200, ANSWER))
              .accept(exchange);
  final List<ReceivedRequest> asked = new CopyOnWriteArrayList<>();
  final CompletableFuture<Void> left = new CompletableFuture<>();

  ScriptedProvider() {
    try {
      server = HttpServer.start(ServerOptions.defaults(), loops, this::handle);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.port();
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  final ScriptedProvider then(Consumer<Exchange>... next) {
    synchronized (script) {
      script.addAll(List.of(next));
    }
    return this;
  }

  private void handle(Exchange exchange) {
    var headers = new java.util.TreeMap<String, String>();
    exchange
        .headers()
        .forEach(e -> headers.put(e.getKey().toLowerCase(java.util.Locale.ROOT), e.getValue()));
    var body = exchange.body().toString(StandardCharsets.UTF_8);
    var path =
        exchange.query().isEmpty() ? exchange.path() : exchange.path() + "?" + exchange.query();
    asked.add(new ReceivedRequest(path, headers, body, System.nanoTime()));
    exchange.onGone(() -> left.complete(null));
    Consumer<Exchange> next;
    synchronized (script) {
      next = script.poll();
    }
    (next == null ? otherwise : next).accept(exchange);
  }

  /** What is done to a request for which nothing is scripted. */
  void otherwise(Consumer<Exchange> always) {
    otherwise = always;
  }

  /** Connections open to it. */
  int connections() {
    return server.connections();
  }

  static String answer() {
    return ANSWER;
  }

  static String chunk(String delta, String finish) {
    return "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
        + "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + finish
        + "}]}\n\n";
  }

  static String text(String content) {
    return chunk("{\"content\":\"" + content + "\"}", "null");
  }

  static List<String> answerEvents() {
    return List.of(
        chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"),
        text("Hel"),
        text("lo"),
        chunk("{}", "\"stop\""),
        "data: [DONE]\n\n");
  }

  static Consumer<Exchange> json(int status, String body, String... headers) {
    return exchange -> {
      var head = new DefaultHttpHeaders();
      head.set("content-type", "application/json");
      for (int i = 0; i < headers.length; i += 2) {
        head.set(headers[i], headers[i + 1]);
      }
      exchange.respond(status, head, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
    };
  }

  static Consumer<Exchange> error(
      int status, String type, String code, String message, String... headers) {
    return json(
        status,
        "{\"error\":{\"message\":\""
            + message
            + "\",\"type\":\""
            + type
            + "\",\"param\":null,\"code\":"
            + (code.isEmpty() ? "null" : "\"" + code + "\"")
            + "}}",
        headers);
  }

  private static void begin(Exchange exchange, List<String> events) {
    var head = new DefaultHttpHeaders();
    head.set("content-type", "text/event-stream; charset=utf-8");
    exchange.begin(200, head);
    for (var event : events) {
      exchange.write(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8));
    }
  }

  static Consumer<Exchange> sse(List<String> events) {
    return exchange -> {
      begin(exchange, events);
      exchange.end();
    };
  }

  /** The events, and then the connection is gone. */
  static Consumer<Exchange> cutAfter(List<String> events) {
    return exchange -> {
      begin(exchange, events);
      exchange.abort();
    };
  }

  /** The events, and then nothing for ever. */
  static Consumer<Exchange> silentAfter(List<String> events) {
    return exchange -> begin(exchange, events);
  }

  static Consumer<Exchange> reset() {
    return Exchange::reset;
  }

  static Consumer<Exchange> silence() {
    return exchange -> {};
  }

  List<String> bodies() {
    var bodies = new ArrayList<String>();
    asked.forEach(a -> bodies.add(a.body()));
    return bodies;
  }

  @Override
  public void close() {
    server.close();
    loops.close();
  }
}
