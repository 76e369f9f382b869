package dev.mainstay.core.recovery;

/** What a call has made of one target so far. */
final class TargetAttempts {
  /** Attempts at the target, whatever for. */
  int attempts;

  /** Those of them that sent the request as it was: the first, retries, returns by fallback. */
  int unchanged;

  /** How many attempts there may be in all; lowered when one times out. */
  int cap = Integer.MAX_VALUE;

  int refusals;

  /** The earliest instant of the next attempt: our own pause and what the provider asked for. */
  long notBefore;

  /** Until when the provider itself asked to wait. */
  long askedUntil;

  /** The same as {@link #notBefore} before the spread that keeps clients from coming together. */
  long toldUntil;

  /** Whether {@link #notBefore} and those after it mean anything. */
  boolean paused;

  /** It would fail again: FATAL, or LOGIC unless mended. */
  boolean ruledOut;

  /** Unavailable for as long as the call lasts, or refused too often. */
  boolean gone;

  /** Its last failure was one that a retry is for. */
  boolean retryable;

  private long restUntil;
  private boolean restsForKeys;
  private boolean rests;

  /** A refusal told when to come back. */
  void rest(Availability.Resting resting) {
    restUntil = resting.untilNanos();
    restsForKeys = resting.by() == Availability.By.KEYS;
    rests = true;
  }

  /** How long that is from now; FOREVER where {@code keysOnly} and something else made it rest. */
  long restNanos(long nowNanos, boolean keysOnly) {
    long left = rests ? Nanos.until(restUntil, nowNanos) : 0;
    return left > 0 && keysOnly && !restsForKeys ? Nanos.FOREVER : left;
  }

  void pause(long nowNanos, long pauseNanos, long askedNanos, long toldNanos) {
    notBefore = later(notBefore, nowNanos + pauseNanos);
    askedUntil = later(askedUntil, nowNanos + askedNanos);
    toldUntil = later(toldUntil, nowNanos + toldNanos);
    paused = true;
  }

  private long later(long before, long until) {
    return paused ? Math.max(before, until) : until;
  }
}
