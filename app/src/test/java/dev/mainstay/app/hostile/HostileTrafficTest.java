package dev.mainstay.app.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients and providers of every ill will, all at once and in random order, against a gateway with
 * a heap of 128 MB: it does not die, every request ends within its limits plus a second, and
 * afterwards it serves as before and holds nothing.
 */
@Timeout(900)
final class HostileTrafficTest {
  /** Of each call before anything of its answer is delivered. */
  private static final Duration DEADLINE = Duration.ofSeconds(8);

  private static final String CONFIG =
      """
      server: { port: 0, drain: 2s }
      providers:
        p: { dialect: openai, base-url: "%s/v1", keys: [sk-hostile-provider-key] }
      prices:
        - { model: claims, unit: input, price: 5 }
        - { model: claims, unit: output, price: 15 }
      recovery:
        deadline: 8s
        max-attempts: 1
        fallback: { on: off }
        timeouts: { first-token: 6s, idle: 3s }
      """;

  private record Took(String what, Duration time) {}

  private final ConcurrentLinkedQueue<Took> took = new ConcurrentLinkedQueue<>();
  private final List<Socket> sockets = new ArrayList<>();
  private int port;

  @Test
  void nothingThatClientsAndProvidersDoEndsTheProcess(@TempDir Path directory) throws Exception {
    long seed = Long.getLong("mainstay.hostile.seed", 20261123);
    var random = new Random(seed);
    try (var provider = new HostileProvider();
        var gateway =
            new SmallGateway(directory.resolve("attacked"), CONFIG.formatted(provider.url()))) {
      port = gateway.port;
      assertThat(gateway.chat("p/good").statusCode()).isEqualTo(200);
      var slowest = new AtomicLong();
      var probes = Thread.ofVirtual().start(() -> probe(gateway, slowest));
      var attacks = attacks();
      var running = new ArrayList<CompletableFuture<Void>>();
      for (int round = 0; round < 3; round++) {
        Collections.shuffle(attacks, random);
        for (var attack : attacks) {
          running.add(run(attack));
        }
        assertThat(gateway.isAlive()).as("seed %d: %s", seed, tail(gateway)).isTrue();
        TimeUnit.MILLISECONDS.sleep(500);
        for (int scrape = 0; scrape < 4; scrape++) {
          assertThat(gateway.get("/metrics").statusCode()).isIn(200, 503);
        }
      }
      CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(10, TimeUnit.MINUTES);
      assertThat(gateway.isAlive()).as("seed %d: %s", seed, tail(gateway)).isTrue();
      assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
      closeAll();
      serves(gateway, seed);
      probes.interrupt();
      probes.join();
      // What the gateway, this process and the machine are late by, as a request that waits for
      // nothing sees it. A gateway that hangs under attack fails here.
      var slow = Duration.ofNanos(slowest.get());
      assertThat(slow).as("seed %d", seed).isLessThan(Duration.ofMinutes(2));
      assertThat(took)
          .as("seed %d: requests within their limits, a second, and three times %s", seed, slow)
          // Late three times: until the gateway reads the request, which begins its limits, at
          // their end, and until the client reads the answer.
          .allMatch(
              each ->
                  each.time().compareTo(DEADLINE.plusSeconds(1).plus(slow.multipliedBy(3))) <= 0);
      assertThat(gateway.log()).as("seed %d", seed).doesNotContain("OutOfMemoryError");
      gateway.terminate();
    } finally {
      closeAll();
    }
  }

  /** Asks every 100 ms until it is interrupted; a pause between two requests counts as well. */
  private static void probe(SmallGateway gateway, AtomicLong slowest) {
    long due = System.nanoTime();
    try {
      while (true) {
        try {
          gateway.get("/health/live");
        } catch (IOException e) {
          // As late as it is; the test itself finds out whether the gateway is alive.
        }
        slowest.accumulateAndGet(System.nanoTime() - due, Math::max);
        due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
        TimeUnit.MILLISECONDS.sleep(100);
      }
    } catch (InterruptedException e) {
      // The attacks are over.
    }
  }

  private static String tail(SmallGateway gateway) throws IOException {
    var log = gateway.log();
    return log.substring(Math.max(0, log.length() - 3000));
  }

  /** What was held is free again, and it answers. */
  private static void serves(SmallGateway gateway, long seed) throws Exception {
    var health = "";
    for (int i = 0; i < 1200; i++) {
      health = gateway.get("/health").body();
      if (health.contains("\"calls\":0") && health.contains("\"answer\":0,\"output\":0}")) {
        break;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    assertThat(health)
        .as("seed %d", seed)
        .contains("\"calls\":0")
        .contains("\"answer\":0,\"output\":0}");
    assertThat(gateway.chat("p/good").statusCode()).as("seed %d", seed).isEqualTo(200);
  }

  // ---- attacks

  private interface Attack {
    void run() throws IOException;
  }

  private static CompletableFuture<Void> run(Attack attack) {
    var done = new CompletableFuture<Void>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                attack.run();
              } catch (IOException e) {
                // The gateway may break the connection off.
              } finally {
                done.complete(null);
              }
            });
    return done;
  }

  private List<Attack> attacks() {
    var attacks = new ArrayList<Attack>();
    for (int i = 0; i < 35; i++) {
      // Asks for 5 MB and does not read.
      attacks.add(() -> open(chat("p/large", false, "")));
    }
    for (var model : List.of("tool-endless", "role-endless", "comment-endless", "event-endless")) {
      for (int i = 0; i < 8; i++) {
        attacks.add(() -> ask(model, chat("p/" + model, true, "")));
      }
    }
    for (int i = 0; i < 8; i++) {
      attacks.add(() -> open(chat("p/text-endless", true, "")));
      attacks.add(() -> ask("whole-endless", chat("p/whole-endless", false, "")));
      attacks.add(() -> ask("claims", chat("p/claims", false, "")));
      attacks.add(() -> ask("silent", chat("p/silent", true, "")));
      attacks.add(() -> ask("headers", chat("p/headers", true, "")));
      attacks.add(
          () -> ask("sdk retry", chat("p/role-endless", true, "x-stainless-retry-count: 0\r\n")));
      attacks.add(
          () -> ask("idempotent", chat("p/large", false, "idempotency-key: k" + port + "\r\n")));
      // Half a head, and half a body.
      attacks.add(() -> open("POST /v1/chat/completions HTTP/1.1\r\nx: " + "h".repeat(60_000)));
      attacks.add(
          () ->
              open(
                  "POST /v1/chat/completions HTTP/1.1\r\n"
                      + "host: x\r\n"
                      + "content-length: 60000000\r\n\r\n"
                      + "{\"model\":\"p/good\",\"x\":\""
                      + "y".repeat(3 << 20)));
    }
    for (int i = 0; i < 30; i++) {
      int n = i;
      attacks.add(() -> ask("long name", chat("n".repeat(1 << 20) + n, false, "")));
      attacks.add(() -> ask("medium name", chat("p/" + "n".repeat(20_000) + n, false, "")));
    }
    attacks.add(this::manyNames);
    attacks.add(this::manyRefusals);
    for (int i = 0; i < 4; i++) {
      attacks.add(() -> ask("large body", post(large("p/good"), "/v1/chat/completions", "")));
      attacks.add(() -> ask("many values", post(values(), "/v1/messages", "")));
      attacks.add(
          () -> ask("bomb", post(bomb(), "/v1/chat/completions", "content-encoding: gzip\r\n")));
      attacks.add(this::pipelined);
    }
    return attacks;
  }

  private void manyNames() throws IOException {
    for (int i = 0; i < 300; i++) {
      ask("many names", chat("p/" + "m".repeat(200) + i, false, ""));
    }
  }

  private void manyRefusals() throws IOException {
    for (int i = 0; i < 280; i++) {
      ask("refusals", chat("p/refuses", false, "x-number: " + i + "\r\n").replace("Hi", "Hi" + i));
    }
  }

  private void pipelined() throws IOException {
    var one = chat("p/silent", false, "");
    open(one + one.repeat(2000));
  }

  private static String large(String model) {
    return "{\"model\":\""
        + model
        + "\",\"messages\":[{\"role\":\"user\",\"content\":\""
        + "y".repeat(20 << 20)
        + "\"}]}";
  }

  /**
   * Small in bytes, large as a tree; in another dialect than the provider's, so that it is read.
   */
  private static String values() {
    var said = "{\"role\":\"user\",\"content\":\"Hi\"}";
    return "{\"model\":\"p/good\",\"max_tokens\":5,\"messages\":["
        + said
        + "],\"metadata\":{\"x\":["
        + "{},".repeat(2 << 20)
        + "{}]}}";
  }

  private static String bomb() throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 60; i++) {
        gzip.write(zeros);
      }
    }
    return packed.toString(StandardCharsets.ISO_8859_1);
  }

  private static String chat(String model, boolean stream, String headers) {
    return post(
        "{\"model\":\""
            + model
            + "\",\"stream\":"
            + stream
            + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":"
            + "{\"type\":\"object\"}}}],\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}",
        "/v1/chat/completions",
        headers);
  }

  private static String post(String body, String path, String headers) {
    return "POST "
        + path
        + " HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        + headers
        + "content-length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  // ---- clients

  /** Sends {@code request} and neither reads nor leaves. */
  private void open(String request) throws IOException {
    var socket = socket();
    write(socket.getOutputStream(), request);
  }

  /** Sends {@code request} and reads its answer; notes where that takes longer than it may. */
  private void ask(String what, String request) throws IOException {
    var socket = socket();
    long from;
    try (socket) {
      socket.setSoTimeout(60_000);
      write(socket.getOutputStream(), request);
      from = System.nanoTime();
      read(socket.getInputStream());
    }
    took.add(new Took(what, Duration.ofNanos(System.nanoTime() - from)));
  }

  private Socket socket() throws IOException {
    var socket = new Socket("127.0.0.1", port);
    synchronized (sockets) {
      sockets.add(socket);
    }
    return socket;
  }

  private static void write(OutputStream out, String request) throws IOException {
    out.write(request.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  /** Reads one answer: a whole one by its length, a stream to its last chunk. */
  private static void read(InputStream in) throws IOException {
    var buffer = new byte[64 << 10];
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int count = in.read(buffer);
      if (count < 0) {
        return;
      }
      head.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
    }
    int end = head.indexOf("\r\n\r\n") + 4;
    int at = head.indexOf("content-length: ");
    if (at >= 0 && at < end) {
      long left =
          Long.parseLong(head.substring(at + 16, head.indexOf("\r\n", at))) - (head.length() - end);
      while (left > 0) {
        int count = in.read(buffer);
        if (count < 0) {
          return;
        }
        left -= count;
      }
      return;
    }
    var last = head.substring(Math.max(end, head.length() - 5));
    while (!last.endsWith("0\r\n\r\n")) {
      int count = in.read(buffer);
      if (count < 0) {
        return;
      }
      var more = last + new String(buffer, 0, count, StandardCharsets.ISO_8859_1);
      last = more.substring(Math.max(0, more.length() - 5));
    }
  }

  private void closeAll() throws IOException {
    synchronized (sockets) {
      for (var socket : sockets) {
        socket.close();
      }
      sockets.clear();
    }
  }
}
