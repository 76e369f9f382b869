package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.core.text.PrintableText;
import dev.mainstay.ledger.state.DurableState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where alerts are raised. Thread-safe; nothing in it blocks. */
public final class Alerter {
  private static final Logger LOG = LoggerFactory.getLogger(Alerter.class);

  /** Causes remembered: more than targets and budgets at work at a time. */
  private static final int MOST_CAUSES = 1000;

  /** Characters of a message, which names a target or a client. */
  private static final int LONGEST = 1000;

  private final @Nullable DurableState state;
  private final Supplier<Alerts> config;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final RandomGenerator random;
  private final Runnable raised;

  private static final class Cause {
    /** On the clock that nobody sets. */
    final long raisedNanos;

    int suppressed;

    Cause(long raisedNanos) {
      this.raisedNanos = raisedNanos;
    }
  }

  /** An outage raises thousands of one cause: those that are throttled must not reach the disk. */
  private final Map<String, Cause> causes =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Cause> eldest) {
          return size() > MOST_CAUSES;
        }
      };

  /**
   * @param state where alerts are kept until they have arrived, or null: they are in the log alone
   * @param raised told when there is one to deliver
   */
  public Alerter(
      @Nullable DurableState state,
      Supplier<Alerts> config,
      InstantSource clock,
      LongSupplier nanos,
      RandomGenerator random,
      Runnable raised) {
    this.state = state;
    this.config = config;
    this.clock = clock;
    this.nanos = nanos;
    this.random = random;
    this.raised = raised;
  }

  /**
   * Raises an alert, unless {@code alerts.on} leaves its topic out or its cause had one within the
   * throttle.
   *
   * @param cause what it is about
   * @param message for people; nothing of a prompt, a key or a provider's words may be in it
   */
  public void raise(Alerts.Topic topic, String cause, String message) {
    if (config.get().on().contains(topic)) {
      raiseLine(cause, kind(topic), PrintableText.line(message, LONGEST));
    }
  }

  /** What sort of alert it is, for programs: as {@code alerts.on} names it. */
  static String kind(Alerts.Topic topic) {
    return topic.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private void raiseLine(String cause, String kind, String message) {
    if (state == null) {
      LOG.warn("Alert: {}", message);
      return;
    }
    var now = clock.instant();
    var throttle = config.get().throttle();
    int suppressed = suppressed(cause, throttle);
    if (suppressed < 0) {
      return;
    }
    state
        .alerts()
        .raise(id(), cause, kind, message, suppressed, now, throttle)
        .whenComplete(
            (kept, failed) -> {
              if (failed != null || Boolean.TRUE.equals(kept)) {
                LOG.warn("Alert: {}", message);
                raised.run();
              }
            });
  }

  /** How many were throttled since the last one of this cause, or -1: this one is too. */
  private int suppressed(String cause, Duration throttle) {
    long now = nanos.getAsLong();
    synchronized (causes) {
      var known = causes.get(cause);
      if (known != null && now - known.raisedNanos < throttle.toNanos()) {
        known.suppressed++;
        return -1;
      }
      causes.put(cause, new Cause(now));
      return known == null ? 0 : known.suppressed;
    }
  }

  private String id() {
    return "alert_%016x%016x".formatted(random.nextLong(), random.nextLong());
  }
}
