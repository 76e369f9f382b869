package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.AlertLog.Alert;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers alerts, one at a time and each until every channel has it: tried {@value #MOST_TRIES}
 * times within some six hours, with a pause that grows fourfold. A channel that has an alert does
 * not get it again because another one failed. What a process did not deliver the next one does, to
 * all channels. A virtual thread of its own.
 *
 * <p>What came of a delivery and cannot be noted, because the disk is full, is noted later and not
 * sent again meanwhile: a receiver gets no flood of one alert. Nothing but closing ends the thread.
 */
public final class AlertSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AlertSender.class);
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
  private final AlertChannels channels;
  private final Semaphore work = new Semaphore(1);
  private final Thread thread;

  /** Channels that have an alert which others have not, by its id; of the thread alone. */
  private final Map<String, Set<String>> reached = new HashMap<>();

  /** What came of deliveries and is not in the store yet, by their alert; of the thread alone. */
  private final Map<String, Outcome> unnoted = new HashMap<>();

  private sealed interface Outcome {
    record Delivered() implements Outcome {}

    /**
     * @param next when it is tried again, or null: never
     */
    record Failed(@Nullable Instant next, String trouble) implements Outcome {}
  }

  private AlertSender(
      AlertLog log,
      Supplier<Alerts> config,
      InstantSource clock,
      Consumer<String> outcome,
      Duration rest) {
    this.log = log;
    this.config = config;
    this.clock = clock;
    channels = new AlertChannels(clock);
    this.outcome = outcome;
    this.rest = rest;
    thread = Thread.ofVirtual().name("mainstay-alerts").unstarted(this::run);
  }

  /**
   * Delivers until closed.
   *
   * @param outcome told what came of each try: {@code delivered}, {@code failed}, {@code given_up};
   *     and {@code error} of what nobody foresaw
   */
  public static AlertSender start(
      AlertLog log, Supplier<Alerts> config, InstantSource clock, Consumer<String> outcome) {
    return start(log, config, clock, outcome, LOOK_EVERY);
  }

  static AlertSender start(
      AlertLog log,
      Supplier<Alerts> config,
      InstantSource clock,
      Consumer<String> outcome,
      Duration rest) {
    var sender = new AlertSender(log, config, clock, outcome, rest);
    log.onLeftBehind(sender::wake);
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
      LOG.debug("Mainstay closes and delivers no more alerts");
    }
  }

  /** Delivers what is due; how long to wait then, unless somebody wakes it. */
  private Duration delivered() throws InterruptedException {
    try {
      var to = channels.of(config.get());
      if (to.isEmpty()) {
        return LOOK_EVERY;
      }
      for (var alert : log.due(clock.instant(), AT_ONCE).toCompletableFuture().join()) {
        deliver(alert, to);
      }
      return untilNext();
    } catch (CompletionException e) {
      LOG.warn(
          "Alerts wait because Mainstay cannot read the store: {}", String.valueOf(e.getCause()));
    } catch (RuntimeException e) {
      outcome.accept("error");
      LOG.error("Mainstay could not deliver alerts and tries again", e);
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

  private void deliver(Alert alert, List<AlertChannel> to) throws InterruptedException {
    var came = unnoted.get(alert.id());
    if (came == null) {
      came = tried(alert, to);
      unnoted.put(alert.id(), came);
    }
    switch (came) {
      case Outcome.Delivered _ -> log.delivered(alert.id()).toCompletableFuture().join();
      case Outcome.Failed failed ->
          log.failed(alert.id(), failed.next(), failed.trouble()).toCompletableFuture().join();
    }
    unnoted.remove(alert.id());
  }

  private Outcome tried(Alert alert, List<AlertChannel> to) throws InterruptedException {
    var trouble = send(alert, to);
    if (trouble == null) {
      reached.remove(alert.id());
      outcome.accept("delivered");
      return new Outcome.Delivered();
    }
    int tries = alert.delivery().tries() + 1;
    if (tries >= MOST_TRIES) {
      reached.remove(alert.id());
      outcome.accept("given_up");
      LOG.warn("Mainstay gives up on the alert {}: {}", alert.id(), trouble);
      return new Outcome.Failed(null, trouble);
    }
    outcome.accept("failed");
    var pause = AlertLog.pause(tries);
    LOG.warn(
        "Mainstay could not send the alert {} and tries again in {} s: {}",
        alert.id(),
        pause.toSeconds(),
        trouble);
    return new Outcome.Failed(clock.instant().plus(pause), trouble);
  }

  /** Null where every channel has it, else which have not and why, in words. */
  private @Nullable String send(Alert alert, List<AlertChannel> to) throws InterruptedException {
    var has = reached.computeIfAbsent(alert.id(), _ -> new HashSet<>());
    var troubles = new ArrayList<String>();
    for (var channel : to) {
      if (!has.contains(channel.name())) {
        var trouble = send(alert, channel);
        if (trouble == null) {
          has.add(channel.name());
        } else {
          troubles.add(trouble);
        }
      }
    }
    return troubles.isEmpty() ? null : String.join("; ", troubles);
  }

  private static @Nullable String send(Alert alert, AlertChannel channel)
      throws InterruptedException {
    try {
      return channel.send(alert);
    } catch (RuntimeException e) {
      // One alert, or one receiver, must not keep all others waiting.
      LOG.warn("Mainstay cannot send the alert {} to {}", alert.id(), channel.name(), e);
      return channel.name() + ": Mainstay cannot send it (" + e.getClass().getSimpleName() + ")";
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    channels.close();
  }
}
