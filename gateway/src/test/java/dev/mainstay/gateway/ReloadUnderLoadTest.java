package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.mainstay.http.Exchange;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The configuration file is rewritten again and again while streams run: no request fails and no
 * connection is left behind. Bounded by the number of reloads; {@code
 * interop/python/reload_under_load.py} does the same for a minute to a process of its own.
 */
@Timeout(300)
final class ReloadUnderLoadTest {
  private static final int RELOADS = Integer.getInteger("mainstay.reloads", 20);
  private static final int CLIENTS = 8;

  /** Streams that end between two reloads, so that each generation has some of its own. */
  private static final int BETWEEN = 4;

  /**
   * Descriptors that the JVM itself may open meanwhile, and both ends of the connections of the
   * generations before, on which each client may still have a stream; leaked clients would cost
   * hundreds.
   */
  private static final int SLACK = 24 + 4 * CLIENTS;

  @TempDir Path folder;

  /** An event every two milliseconds. */
  private static void slowly(Exchange exchange, List<String> events) {
    exchange.begin(200, new DefaultHttpHeaders().set("content-type", "text/event-stream"));
    next(exchange, events, 0);
  }

  private static void next(Exchange exchange, List<String> events, int at) {
    if (at == events.size()) {
      exchange.end();
      return;
    }
    exchange.write(Unpooled.copiedBuffer(events.get(at), StandardCharsets.UTF_8));
    exchange.loop().schedule(Duration.ofMillis(2), () -> next(exchange, events, at + 1));
  }

  /** Every other version has another provider client, every third another model. */
  private String version(Harness h, int number) {
    var yaml = h.yaml("  model" + number % 3 + ": { targets: [two/x] }\n");
    return number % 2 == 0
        ? yaml
        : yaml.replaceFirst("dialect: openai", "proxy: none, headers: { x-v: a }, dialect: openai")
            .replace(
                "targets: [one/first",
                "recovery: { timeouts: { connect: 4s } }, targets: [one/first")
            .replaceFirst("\nproviders:", "\nrecovery: { timeouts: { connect: 4s } }\nproviders:");
  }

  @Test
  void noRequestFailsAndNoConnectionIsLeftBehind() throws Exception {
    var ended = new Semaphore(0);
    var done = new AtomicBoolean();
    try (var h = new Harness()) {
      h.one.otherwise(exchange -> slowly(exchange, answerEvents()));
      var file = folder.resolve("mainstay.yaml");
      Files.writeString(file, version(h, 0));
      var held = new CompletableFuture<Exchange>();
      h.one.then(
          exchange -> {
            silentAfter(answerEvents().subList(0, 2)).accept(exchange);
            held.complete(exchange);
          });
      var longest = CompletableFuture.supplyAsync(() -> h.chatStream("assistant").body());
      var provider = held.get();
      try (var reloader = Reloader.watch(h.gateway, file, Map.of(), config -> config)) {
        var clients =
            IntStream.range(0, CLIENTS)
                .mapToObj(i -> CompletableFuture.runAsync(() -> streams(h, done, ended), virtual()))
                .toList();
        ended.acquire(CLIENTS);
        long before = descriptors();
        for (int i = 1; i <= RELOADS; i++) {
          Files.writeString(file, version(h, i));
          reloader.check();
          ended.acquire(BETWEEN);
        }
        long after = descriptors();
        done.set(true);
        for (var client : clients) {
          client.get();
        }
        assertThat(after).as("open descriptors").isLessThan(before + SLACK);
      }
      for (var event : answerEvents().subList(2, 5)) {
        provider.write(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8));
      }
      provider.end();
      assertThat(longest.get()).isEqualTo(String.join("", answerEvents()));
      assertThat(h.two.asked).as("nobody had to fall back").isEmpty();
    }
  }

  private static java.util.concurrent.Executor virtual() {
    return task -> Thread.ofVirtual().start(task);
  }

  private static void streams(Harness h, AtomicBoolean done, Semaphore ended) {
    var whole = String.join("", answerEvents());
    while (!done.get()) {
      try {
        var answer = h.chatStream("assistant");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(whole);
      } finally {
        ended.release();
      }
    }
  }

  private static long descriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }
}
