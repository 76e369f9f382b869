package dev.mainstay.gateway.alert;

import dev.mainstay.gateway.config.Alerts;
import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.wire.json.Quote;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers alerts, one at a time and each until it has arrived: tried {@value #MOST_TRIES} times
 * within some six hours, with a pause that grows fourfold. What a process did not deliver the next
 * one does. A virtual thread of its own; it has its own HTTP client, and no other part uses it.
 */
public final class WebhookSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final int MOST_TRIES = 9;
  private static final int AT_ONCE = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The pause after the first failure. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  /** How often it looks when nobody wakes it and nothing is due: clocks may be set. */
  private static final Duration LOOK_EVERY = Duration.ofMinutes(1);

  private final AlertLog log;
  private final Supplier<Alerts> config;
  private final InstantSource clock;
  private final Duration firstPause;
  private volatile @Nullable HttpClient client;
  private final Semaphore work = new Semaphore(1);
  private final Thread thread;

  private WebhookSender(
      AlertLog log, Supplier<Alerts> config, InstantSource clock, Duration firstPause) {
    this.log = log;
    this.config = config;
    this.clock = clock;
    this.firstPause = firstPause;
    thread = Thread.ofVirtual().name("mainstay-alerts").unstarted(this::run);
  }

  /** Delivers until closed. */
  public static WebhookSender start(AlertLog log, Supplier<Alerts> config, InstantSource clock) {
    return start(log, config, clock, FIRST_PAUSE);
  }

  static WebhookSender start(
      AlertLog log, Supplier<Alerts> config, InstantSource clock, Duration firstPause) {
    var sender = new WebhookSender(log, config, clock, firstPause);
    sender.thread.start();
    return sender;
  }

  /** There may be one to deliver. */
  public void wake() {
    work.release();
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        work.tryAcquire(untilNext().toMillis(), TimeUnit.MILLISECONDS);
        work.drainPermits();
        deliver();
      }
    } catch (InterruptedException e) {
      LOG.debug("no alert is delivered any more");
    }
  }

  private Duration untilNext() {
    try {
      var next = log.next().toCompletableFuture().join();
      if (next.isEmpty() || config.get().webhook() == null) {
        return LOOK_EVERY;
      }
      var left = Duration.between(clock.instant(), next.getFirst());
      return left.compareTo(LOOK_EVERY) < 0 ? left : LOOK_EVERY;
    } catch (CompletionException e) {
      return LOOK_EVERY;
    }
  }

  private void deliver() throws InterruptedException {
    var webhook = config.get().webhook();
    if (webhook == null) {
      return;
    }
    try {
      for (var alert : log.due(clock.instant(), AT_ONCE).toCompletableFuture().join()) {
        var trouble = send(alert, webhook);
        if (trouble == null) {
          log.delivered(alert.id()).toCompletableFuture().join();
        } else {
          failed(alert, trouble);
        }
      }
    } catch (CompletionException e) {
      LOG.warn("Alerts wait, because the store cannot be used: {}", String.valueOf(e.getCause()));
    }
  }

  private void failed(Alert alert, String trouble) {
    int tries = alert.tries() + 1;
    var pause = firstPause.multipliedBy(1L << (2 * (tries - 1)));
    var next = tries >= MOST_TRIES ? null : clock.instant().plus(pause);
    if (next == null) {
      LOG.warn("The alert {} was given up on: {}", alert.id(), trouble);
    }
    log.failed(alert.id(), next, trouble).toCompletableFuture().join();
  }

  /** Made when there is something to send: most gateways never need it, and it takes a while. */
  private HttpClient client() {
    var known = client;
    if (known == null) {
      known =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(PATIENCE)
              .followRedirects(HttpClient.Redirect.NEVER)
              .build();
      client = known;
    }
    return known;
  }

  /** Null where it has arrived, else why it has not, in words. */
  private @Nullable String send(Alert alert, Alerts.Webhook webhook) throws InterruptedException {
    var body = body(alert);
    long timestamp = clock.instant().getEpochSecond();
    var request =
        HttpRequest.newBuilder(webhook.url())
            .timeout(PATIENCE)
            .header("content-type", "application/json")
            .header("user-agent", "mainstay")
            .header("x-mainstay-delivery", alert.id())
            .header("x-mainstay-timestamp", Long.toString(timestamp))
            .header("x-mainstay-signature", Signature.of(webhook.secret(), timestamp, body))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      int status = client().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return status >= 200 && status < 300 ? null : "the webhook answered " + status;
    } catch (IOException e) {
      return "the webhook cannot be reached: " + e.getClass().getSimpleName();
    }
  }

  private static String body(Alert alert) {
    var out = new StringBuilder(256);
    out.append("{\"id\":");
    Quote.append(out, alert.id()).append(",\"kind\":");
    Quote.append(out, alert.kind()).append(",\"cause\":");
    Quote.append(out, alert.cause()).append(",\"message\":");
    Quote.append(out, alert.message()).append(",\"raised_at\":\"");
    return out.append(alert.raisedAt())
        .append("\",\"suppressed\":")
        .append(alert.suppressed())
        .append('}')
        .toString();
  }

  @Override
  public void close() {
    thread.interrupt();
    var known = client;
    if (known != null) {
      known.shutdownNow();
    }
  }
}
