package dev.mainstay.app.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The tools: each effect is a line in a book that is on disk before the answer goes out. An
 * idempotent tool acts once for a key, the others for each request; one that is asked whether a key
 * happened waits for the request that is at it.
 */
final class EffectServer implements AutoCloseable {
  private final HttpServer server;
  private final FileChannel book;
  private final Path file;
  private final Random random;
  private final Semaphore requests = new Semaphore(0);
  private final Map<String, Object> keys = new ConcurrentHashMap<>();
  private final Map<String, Integer> done = new ConcurrentHashMap<>();

  EffectServer(Path file, Random random) throws IOException {
    this.file = file;
    this.random = random;
    book = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    for (var tool : List.of("read", "idempotent", "queryable", "unsafe")) {
      server.createContext("/" + tool, exchange -> act(exchange, tool));
    }
    server.createContext("/asked", this::asked);
    server.start();
  }

  /** Waits for requests to tools, for at most {@code atMost}; those before are forgotten. */
  void awaitRequests(int count, Duration atMost) throws InterruptedException {
    requests.drainPermits();
    var unused = requests.tryAcquire(count, atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void act(HttpExchange exchange, String tool) throws IOException {
    var key = exchange.getRequestHeaders().getFirst("idempotency-key");
    requests.release();
    exchange.getRequestBody().readAllBytes();
    synchronized (keys.computeIfAbsent(key, name -> new Object())) {
      pause();
      if (!tool.equals("idempotent") || !done.containsKey(key)) {
        write(tool, key);
        done.merge(key, 1, Integer::sum);
      }
      pause();
    }
    answer(exchange, 200, "\"did " + key + "\"");
  }

  private void asked(HttpExchange exchange) throws IOException {
    var key = exchange.getRequestURI().getQuery().substring("key=".length());
    boolean happened;
    synchronized (keys.computeIfAbsent(key, name -> new Object())) {
      happened = done.containsKey(key);
    }
    answer(exchange, happened ? 200 : 404, "\"did " + key + "\"");
  }

  private void write(String tool, String key) throws IOException {
    var line = ByteBuffer.wrap((tool + " " + key + "\n").getBytes(UTF_8));
    synchronized (book) {
      while (line.hasRemaining()) {
        book.write(line);
      }
      book.force(true);
    }
  }

  private void pause() {
    int millis;
    synchronized (random) {
      millis = random.nextInt(15);
    }
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    var bytes = text.getBytes(UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** How often each key's effect happened, read back from the disk. */
  Map<String, Integer> book() throws IOException {
    var counted = new HashMap<String, Integer>();
    for (var line : Files.readAllLines(file)) {
      counted.merge(line.substring(line.indexOf(' ') + 1), 1, Integer::sum);
    }
    return counted;
  }

  @Override
  public void close() throws IOException {
    server.stop(0);
    book.close();
  }
}
