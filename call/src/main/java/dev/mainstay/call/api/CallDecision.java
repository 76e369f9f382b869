package dev.mainstay.call.api;

import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One decision about a call, other than its first success.
 *
 * @param call the call's id
 * @param cause the failure that led to it, or null where no attempt failed, for example at an open
 *     breaker
 * @param decision {@code retry}, {@code fallback}, {@code repair:NAME}, {@code continue}, {@code
 *     give_up}, or {@code proceed} where the first target is passed over
 * @param reason why, in words; nothing of a prompt, key or header is in it
 * @param next the target it is done at, or null where nothing more is tried
 * @param waits how long Mainstay waits first
 * @param restart whether a stream begins anew of which something had arrived
 * @param attempt attempts made so far
 * @param of attempts that may be made
 */
public record CallDecision(
    String call,
    @Nullable Cause cause,
    String decision,
    String reason,
    @Nullable String next,
    Duration waits,
    boolean restart,
    int attempt,
    int of) {

  /**
   * A failure.
   *
   * @param target the target that failed, or null where the gateway itself did
   * @param verdict {@code CLASS/kind}
   * @param because what went wrong, in words
   * @param callers whether it is the caller's to mend
   */
  public record Cause(@Nullable String target, String verdict, String because, boolean callers) {
    public static Cause of(@Nullable String target, Verdict verdict) {
      return new Cause(
          target,
          verdict.label(),
          verdict.because(),
          verdict.blame() == dev.mainstay.core.verdict.Blame.CALLER);
    }
  }
}
