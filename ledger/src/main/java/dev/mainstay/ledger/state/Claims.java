package dev.mainstay.ledger.state;

import java.time.Instant;
import java.util.concurrent.CompletionStage;

/**
 * Idempotency keys and what became of them. A key belongs to the client that sent it. Threads and
 * failures as in {@link DurableState}.
 */
public interface Claims {

  /**
   * Claims a key for a call. Of any number of claims on one key, one is {@link Claim.Fresh} until
   * it is released, its time is over, or its process has died without an answer. While the store is
   * away this holds for the claims of each process alone.
   *
   * @param client the client's name, or "" where none is needed
   * @param bodyHash what the request is known by: another one under the same key is refused
   * @param call the id of the call that is to answer it
   * @param now the time of day
   * @param until when the key is free again, and its answer forgotten
   */
  CompletionStage<Claim> claim(
      String client, String key, String bodyHash, String call, Instant now, Instant until);

  /**
   * Keeps the answer of the call that holds the key, to be given again until {@code until} of its
   * claim. Does nothing, and says false, where the call does not hold it any more.
   */
  CompletionStage<Boolean> keep(String client, String key, StoredAnswer answer);

  /** Gives back a key whose call has no answer worth keeping; false where it does not hold it. */
  CompletionStage<Boolean> release(String client, String key, String call);

  /** What a claim came to. */
  sealed interface Claim {
    /**
     * The key is the call's: it may begin.
     *
     * @param degraded whether this process alone knows of the claim, because the store is away;
     *     else it is on disk
     */
    record Fresh(boolean degraded) implements Claim {}

    /** The key has its answer. */
    record Answered(StoredAnswer answer) implements Claim {}

    /**
     * Another call holds it and has not ended.
     *
     * @param here whether it is a call of this process
     */
    record Held(String call, boolean here) implements Claim {}

    /** The key was used for another request. */
    record OtherRequest() implements Claim {}
  }
}
