package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.http.SignedPost;
import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.wire.json.Quote;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers alerts, one at a time and each until it has arrived: tried {@value #MOST_TRIES} times
 * within some six hours, with a pause that grows fourfold. What a process did not deliver the next
 * one does. A virtual thread of its own; it has its own HTTP client, and no other part uses it.
 *
 * <p>What came of a delivery and cannot be noted, because the disk is full, is noted later and not
 * sent again meanwhile: a receiver gets no flood of one alert. Nothing but closing ends the thread.
 */
public final class WebhookSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final int MOST_TRIES = 9;
  private static final int AT_ONCE = 20;

  /**
   * How often it looks when nobody wakes it and nothing is due: clocks may be set. And how long it
   * rests after trouble with the store, or of its own.
   */
  private static final Duration LOOK_EVERY = Duration.ofMinutes(1);

  private final AlertLog log;
  private final Supplier<Alerts> config;
  private final InstantSource clock;
  private final Consumer<String> outcome;
  private final Duration rest;
  private final SignedPost post;
  private final Semaphore work = new Semaphore(1);
  private final Thread thread;

  /** What came of deliveries and is not in the store yet, by their alert; of the thread alone. */
  private final Map<String, Outcome> unnoted = new HashMap<>();

  private sealed interface Outcome {
    record Delivered() implements Outcome {}

    /**
     * @param next when it is tried again, or null: never
     */
    record Failed(@Nullable Instant next, String trouble) implements Outcome {}
  }

  private WebhookSender(
      AlertLog log,
      Supplier<Alerts> config,
      InstantSource clock,
      Consumer<String> outcome,
      Duration rest) {
    this.log = log;
    this.config = config;
    this.clock = clock;
    this.outcome = outcome;
    this.rest = rest;
    post = new SignedPost(clock);
    thread = Thread.ofVirtual().name("mainstay-alerts").unstarted(this::run);
  }

  /**
   * Delivers until closed.
   *
   * @param outcome told what came of each try: {@code delivered}, {@code failed}, {@code given_up};
   *     and {@code error} of what nobody foresaw
   */
  public static WebhookSender start(
      AlertLog log, Supplier<Alerts> config, InstantSource clock, Consumer<String> outcome) {
    return start(log, config, clock, outcome, LOOK_EVERY);
  }

  static WebhookSender start(
      AlertLog log,
      Supplier<Alerts> config,
      InstantSource clock,
      Consumer<String> outcome,
      Duration rest) {
    var sender = new WebhookSender(log, config, clock, outcome, rest);
    sender.thread.start();
    return sender;
  }

  /** There may be one to deliver. */
  public void wake() {
    work.release();
  }

  private void run() {
    try {
      var wait = Duration.ZERO;
      while (!Thread.currentThread().isInterrupted()) {
        work.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS);
        work.drainPermits();
        wait = delivered();
      }
    } catch (InterruptedException e) {
      LOG.debug("no alert is delivered any more");
    }
  }

  /** Delivers what is due; how long to wait then, unless somebody wakes it. */
  private Duration delivered() throws InterruptedException {
    try {
      var webhook = config.get().webhook();
      if (webhook == null) {
        return LOOK_EVERY;
      }
      for (var alert : log.due(clock.instant(), AT_ONCE).toCompletableFuture().join()) {
        deliver(alert, webhook);
      }
      return untilNext();
    } catch (CompletionException e) {
      LOG.warn("Alerts wait, because the store cannot be used: {}", String.valueOf(e.getCause()));
    } catch (RuntimeException e) {
      outcome.accept("error");
      LOG.error("Delivering alerts failed, and will be tried again", e);
    }
    return rest;
  }

  private Duration untilNext() {
    var next = log.next().toCompletableFuture().join();
    if (next.isEmpty()) {
      return LOOK_EVERY;
    }
    var left = Duration.between(clock.instant(), next.getFirst());
    return left.compareTo(LOOK_EVERY) < 0 ? left : LOOK_EVERY;
  }

  private void deliver(Alert alert, Alerts.Webhook webhook) throws InterruptedException {
    var came = unnoted.get(alert.id());
    if (came == null) {
      came = tried(alert, webhook);
      unnoted.put(alert.id(), came);
    }
    switch (came) {
      case Outcome.Delivered _ -> log.delivered(alert.id()).toCompletableFuture().join();
      case Outcome.Failed failed ->
          log.failed(alert.id(), failed.next(), failed.trouble()).toCompletableFuture().join();
    }
    unnoted.remove(alert.id());
  }

  private Outcome tried(Alert alert, Alerts.Webhook webhook) throws InterruptedException {
    var trouble =
        post.send(webhook.url(), webhook.secret().value(), alert.id(), body(alert));
    if (trouble == null) {
      outcome.accept("delivered");
      return new Outcome.Delivered();
    }
    int tries = alert.tries() + 1;
    if (tries >= MOST_TRIES) {
      outcome.accept("given_up");
      LOG.warn("The alert {} was given up on: {}", alert.id(), trouble);
      return new Outcome.Failed(null, trouble);
    }
    outcome.accept("failed");
    return new Outcome.Failed(clock.instant().plus(AlertLog.pause(tries)), trouble);
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
    post.close();
  }
}
