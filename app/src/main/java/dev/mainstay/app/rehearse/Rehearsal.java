package dev.mainstay.app.rehearse;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
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

  /** What the studio asks for first: a page right after a start has its classes in the cache. */
  static final List<String> PAGES =
      List.of(
          "/",
          "/health",
          "/api/runs",
          "/api/calls",
          "/api/calls?failed=true",
          "/api/stats?by=all&bucket=1h",
          "/api/stats?by=model&bucket=1h",
          "/api/costs?by=run",
          "/api/costs?by=day",
          "/api/failures",
          "/api/dead-letters",
          "/api/alerts",
          "/api/evaluations",
          "/api/breakers",
          "/api/config");

  /** How often each of them, behind the calls. */
  private static final int LOOKS = 20;

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
    try {
      try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < AT_ONCE; i++) {
          clients.execute(rehearsal::ask);
        }
      }
      for (int i = 0; i < LOOKS; i++) {
        for (var page : PAGES) {
          rehearsal.look(page);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      rehearsal.http.shutdownNow();
    }
    return rehearsal.answered.get();
  }

  private void look(String page) throws InterruptedException {
    try {
      http.send(
          HttpRequest.newBuilder(gateway.resolve(page)).timeout(PATIENCE).build(),
          BodyHandlers.discarding());
    } catch (IOException e) {
      // The cache lacks the page: it is shown all the same.
    }
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
    var request =
        HttpRequest.newBuilder(gateway.resolve(anthropic ? "/v1/messages" : "/v1/chat/completions"))
            .timeout(PATIENCE)
            .header("content-type", "application/json")
            .header("authorization", "Bearer rehearsal")
            .header("x-stainless-lang", "java")
            .header("x-stainless-retry-count", "0")
            .POST(BodyPublishers.ofString(body));
    if (i % 10 == 0) {
      request.header("x-mainstay-run", "run " + i / 100);
    }
    return request.build();
  }
}
