package dev.mainstay.call.admission;

import dev.mainstay.call.recording.AttemptLog;
import dev.mainstay.call.upstream.KeyPool;
import dev.mainstay.call.upstream.Provider;
import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.wire.money.Usage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt holds at its target for as long as it lasts: a slot, the breaker's admission, a
 * key. Given back once, in the way that says how the attempt ended. Belongs to the call's loop.
 */
public final class AttemptPermit {
  public final Provider provider;
  private final Guards.Guard guard;
  private KeyPool.@Nullable Key key;
  private int keyFailures;
  private Admission.@Nullable Admitted ticket;
  private boolean counted;
  private boolean back;

  /** Of a slot that was taken; what else there must be is added as it is found. */
  AttemptPermit(Provider provider, Guards.Guard guard) {
    this.provider = provider;
    this.guard = guard;
  }

  /** It counts against the limits of the provider's account. */
  void counted() {
    counted = true;
  }

  /** Tokens that the attempt used. */
  public void used(@Nullable Usage usage) {
    var tokens = AttemptLog.tokens(usage);
    if (tokens != null) {
      provider.limiter.used(tokens.total());
    }
  }

  void admitted(Admission.Admitted by) {
    ticket = by;
  }

  /**
   * Whether the breaker or the key would be no more what they were when this was taken: another
   * attempt has failed since.
   */
  boolean isOld() {
    return (ticket != null && !guard.breaker.holds(ticket))
        || (key != null && provider.keys.failures(key) != keyFailures);
  }

  void with(KeyPool.@Nullable Key picked) {
    key = picked;
    keyFailures = picked == null ? 0 : provider.keys.failures(picked);
  }

  public KeyPool.@Nullable Key key() {
    return key;
  }

  public TargetId target() {
    return guard.target;
  }

  /** The first token has come: a probe has succeeded with it. */
  public void firstToken(long sinceSent, long now) {
    guard.firstToken(sinceSent);
    if (ticket != null && ticket.probe()) {
      guard.breaker.succeeded(ticket, now);
      ticket = null;
    }
  }

  public void succeeded(long now) {
    giveBack();
    if (ticket != null) {
      guard.breaker.succeeded(ticket, now);
    }
    if (key != null && provider.keys.succeeded(key, guard.target.model(), now)) {
      provider.peers.keyWorks(provider.spec.name(), key.name(), guard.target.model());
    }
  }

  public void failed(Verdict verdict, long now) {
    giveBack();
    if (ticket != null) {
      boolean opened = guard.breaker.failed(ticket, verdict, now);
      if (opened && guard.breaker.availability(now) instanceof Availability.Resting resting) {
        provider.peers.breakerOpened(
            guard.target, Duration.ofNanos(resting.untilNanos() - now), resting.reason());
      }
    }
    if (key != null) {
      var model = guard.target.model();
      switch (provider.keys.failed(key, model, verdict, now)) {
        case KeyPool.KeyEvent.Rests news ->
            provider.peers.keyRests(provider.spec.name(), key.name(), model, news.rest());
        case KeyPool.KeyEvent.SetAside news ->
            provider.peers.keySetAside(provider.spec.name(), key.name(), news.model());
        case null -> {}
      }
    }
  }

  /** The attempt was ended without being judged. Does nothing where it is back already. */
  public void released() {
    if (!back) {
      giveBack();
      if (ticket != null) {
        guard.breaker.released(ticket);
      }
    }
  }

  /** The slot first: whatever else goes wrong, it is never lost. */
  private void giveBack() {
    if (!back) {
      back = true;
      guard.slots.release();
      if (counted) {
        provider.limiter.ended();
      }
    }
  }
}
