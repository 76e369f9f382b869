package dev.mainstay.core.guard;

/** A breaker's answer to whether an attempt may be made. */
public sealed interface Admission {

  /**
   * It may. Report what became of it to the breaker, once: {@link Breaker#succeeded}, {@link
   * Breaker#failed} or {@link Breaker#released}.
   */
  final class Admitted implements Admission {
    private final boolean probe;

    Admitted(boolean probe) {
      this.probe = probe;
    }

    /** Whether this is the one probe of a half-open breaker. */
    public boolean probe() {
      return probe;
    }
  }

  /**
   * It may not.
   *
   * @param untilNanos when to ask again, at the earliest
   */
  record Refused(long untilNanos, String reason) implements Admission {}
}
