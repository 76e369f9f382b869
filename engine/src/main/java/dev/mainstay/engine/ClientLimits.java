package dev.mainstay.engine;

import dev.mainstay.call.api.Peers;
import dev.mainstay.call.upstream.RateLimiter;
import dev.mainstay.config.Client;
import dev.mainstay.ledger.CallRecord;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What each client may use: requests and tokens a minute, requests at once; each gateway on one
 * store grants its part of it. Kept over reloads by the client's name. Thread-safe.
 */
public final class ClientLimits {
  /** How long to wait for a place that may come free at any time. */
  private static final Duration FOR_A_PLACE = Duration.ofSeconds(1);

  private final ConcurrentHashMap<String, RateLimiter> accounts = new ConcurrentHashMap<>();
  private final LongSupplier nanos;
  private final Peers peers;

  ClientLimits(LongSupplier nanos, Peers peers) {
    this.nanos = nanos;
    this.peers = peers;
  }

  /**
   * Takes a request from the limits of {@code client}; {@link #ended} gives its place back.
   *
   * @return null where it may go on, else how long to wait and why
   */
  public @Nullable Wait take(Client client) {
    var wait =
        accounts
            .computeIfAbsent(client.name(), name -> new RateLimiter())
            .take(client.limits().shared(peers::share), nanos.getAsLong());
    return wait == null
        ? null
        : new Wait(wait.time().isZero() ? FOR_A_PLACE : wait.time(), wait.limit());
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
      account.used(tokens);
      account.ended();
    }
  }

  /** How long a client is to wait, and which limit it has reached. */
  public record Wait(Duration time, String limit) {}
}
