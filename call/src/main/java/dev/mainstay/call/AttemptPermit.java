package dev.mainstay.call;

import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt holds at its target for as long as it lasts: a slot, the breaker's admission, a
 * key. Given back once, in the way that says how the attempt ended. Belongs to the call's loop.
 */
final class AttemptPermit {
  final Provider provider;
  final KeyPool.@Nullable Key key;
  private final Guards.Guard guard;
  private Admission.@Nullable Admitted ticket;

  AttemptPermit(
      Provider provider, Guards.Guard guard, Admission.Admitted ticket, KeyPool.@Nullable Key key) {
    this.provider = provider;
    this.guard = guard;
    this.ticket = ticket;
    this.key = key;
  }

  TargetId target() {
    return guard.target;
  }

  /** The first token has come: a probe has succeeded with it. */
  void firstToken(long sinceSent, long now) {
    guard.firstToken(sinceSent);
    if (ticket != null && ticket.probe()) {
      guard.breaker.succeeded(ticket, now);
      ticket = null;
    }
  }

  void succeeded(long now) {
    if (ticket != null) {
      guard.breaker.succeeded(ticket, now);
    }
    guard.slots.release();
    if (key != null) {
      provider.keys.succeeded(key);
    }
  }

  void failed(Verdict verdict, long now) {
    if (ticket != null) {
      guard.breaker.failed(ticket, verdict, now);
    }
    guard.slots.release();
    if (key != null) {
      provider.keys.failed(key, guard.target.model(), verdict, now);
    }
  }

  /** The attempt was ended without being judged. */
  void released() {
    if (ticket != null) {
      guard.breaker.released(ticket);
    }
    guard.slots.release();
  }
}
