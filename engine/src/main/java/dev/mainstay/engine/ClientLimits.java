package dev.mainstay.engine;

import dev.mainstay.config.Config;
import dev.mainstay.ledger.CallRecord;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What each client may use: requests and tokens a minute, requests at once. Buckets that fill
 * steadily, so that a minute's worth may come at once and no more. Tokens are taken when they are
 * known, after the answer; a client that has overdrawn waits until its bucket is above zero. Kept
 * over reloads by the client's name. Thread-safe.
 */
public final class ClientLimits {
  private static final double NANOS_A_MINUTE = Duration.ofMinutes(1).toNanos();

  private final ConcurrentHashMap<String, Account> accounts = new ConcurrentHashMap<>();
  private final LongSupplier nanos;

  ClientLimits(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Takes a request from the limits of {@code client}; {@link #ended} gives its place back.
   *
   * @return null where it may go on, else how long to wait and why
   */
  public @Nullable Wait take(Config.Client client) {
    return accounts.computeIfAbsent(client.name(), name -> new Account()).take(client, now());
  }

  /** A call has ended: what it used is taken from its client's tokens. */
  public void ended(CallRecord call) {
    var client = call.client();
    if (client != null) {
      var tokens = call.tokens();
      ended(client, tokens == null ? 0 : tokens.total());
    }
  }

  /** A request that was taken has ended, having used {@code tokens}. */
  public void ended(String client, long tokens) {
    var account = accounts.get(client);
    if (account != null) {
      account.ended(tokens);
    }
  }

  private long now() {
    return nanos.getAsLong();
  }

  /** How long a client is to wait, and which limit it has reached. */
  public record Wait(Duration time, String limit) {}

  private static final class Account {
    private double requests = Double.NaN;
    private double tokens = Double.NaN;
    private long filledAt;
    private int running;

    synchronized @Nullable Wait take(Config.Client client, long now) {
      fill(client, now);
      var rpm = client.rpm();
      var tpm = client.tpm();
      var parallel = client.parallel();
      if (parallel != null && running >= parallel) {
        return new Wait(Duration.ofSeconds(1), "parallel: " + parallel);
      }
      if (rpm != null && requests < 1) {
        return new Wait(until(1 - requests, rpm), "rpm: " + rpm);
      }
      if (tpm != null && tokens <= 0) {
        return new Wait(until(1 - tokens, tpm), "tpm: " + tpm);
      }
      if (rpm != null) {
        requests--;
      }
      running++;
      return null;
    }

    private static Duration until(double missing, int perMinute) {
      return Duration.ofNanos((long) Math.ceil(missing * NANOS_A_MINUTE / perMinute));
    }

    private void fill(Config.Client client, long now) {
      double share = (now - filledAt) / NANOS_A_MINUTE;
      requests = filled(requests, client.rpm(), share);
      tokens = filled(tokens, client.tpm(), share);
      filledAt = now;
    }

    /** A bucket that was not limited before is full. */
    private static double filled(double level, @Nullable Integer perMinute, double share) {
      if (perMinute == null) {
        return Double.NaN;
      }
      return Double.isNaN(level) ? perMinute : Math.min(perMinute, level + perMinute * share);
    }

    synchronized void ended(long used) {
      running--;
      tokens -= used;
    }
  }
}
