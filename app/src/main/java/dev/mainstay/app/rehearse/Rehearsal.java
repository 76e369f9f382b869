package dev.mainstay.app.rehearse;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The clients of a rehearsal: whole answers and streams, as SDKs ask for them, some of which fail.
 */
final class Rehearsal {
  /** Enough for the JVM's second compiler to have seen what is done for every call. */
  static final int CALLS = 40_000;

  /** Few: what the clients leave free is the compilers'. */
  private static final int AT_ONCE = 4;

  /** On a busy machine what was learnt until then must do. */
  private static final Duration AT_MOST = Duration.ofMinutes(3);

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String PROMPT = "The quick brown fox jumps over the lazy dog. ".repeat(20);

  private final URI gateway;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger next = new AtomicInteger();
  private final long until = System.nanoTime() + AT_MOST.toNanos();

  private final AtomicInteger answered = new AtomicInteger();
  private final int calls;

  private Rehearsal(int port, int calls) {
    gateway = URI.create("http://127.0.0.1:" + port);
    this.calls = calls;
  }

  /**
   * Asks the gateway on {@code port} for {@code calls} answers, for three minutes at most.
   *
   * @return how many it gave
   */
  static int of(int port, int calls) {
    var rehearsal = new Rehearsal(port, calls);
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < AT_ONCE; i++) {
        clients.execute(rehearsal::ask);
      }
    } finally {
      rehearsal.http.shutdownNow();
    }
    return rehearsal.answered.get();
  }

  private void ask() {
    for (int i = next.getAndIncrement();
        i < calls && System.nanoTime() - until < 0;
        i = next.getAndIncrement()) {
      try {
        if (http.send(request(i), BodyHandlers.discarding()).statusCode() == 200) {
          answered.incrementAndGet();
        }
      } catch (IOException e) {
        // What goes wrong is rehearsed, too.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private HttpRequest request(int i) {
    boolean stream = i % 3 == 0;
    boolean anthropic = i % 10 == 0;
    var model = i % 20 == 1 ? "failing" : anthropic ? "claude/claude-sonnet-4-5" : "openai/gpt-4o";
    var body =
        "{\"model\":\"%s\",\"stream\":%s,\"max_tokens\":500,\"messages\":[{\"role\":\"user\",\"content\":\"%d %s\"}]}"
            .formatted(model, stream, i, PROMPT);
    return HttpRequest.newBuilder(
            gateway.resolve(anthropic ? "/v1/messages" : "/v1/chat/completions"))
        .timeout(PATIENCE)
        .header("content-type", "application/json")
        .header("authorization", "Bearer rehearsal")
        .header("x-stainless-lang", "java")
        .header("x-stainless-retry-count", "0")
        .POST(BodyPublishers.ofString(body))
        .build();
  }
}
