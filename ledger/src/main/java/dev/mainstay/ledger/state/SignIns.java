package dev.mainstay.ledger.state;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * People who have signed in to the admin API, at whichever gateway on the store. Nothing that is
 * kept here lets anybody in: browsers hold a secret, of which the store has digests. Threads and
 * failures as in {@link DurableState}.
 */
public interface SignIns {
  /** Sessions that one account may have; beyond it the oldest end. */
  int MOST_OF_ONE = 100;

  /** Tries in {@link #WINDOW} for one name or address; then none until the oldest is past. */
  int FREE = 5;

  Duration WINDOW = Duration.ofMinutes(1);

  /**
   * A session.
   *
   * @param digest of the secret that the browser holds
   * @param account the account's name; "" for the admin token
   * @param proof digest of the secret and of what the account signed in by
   */
  record Session(String digest, String account, String proof, Instant expiresAt) {}

  /** Keeps a session. */
  CompletionStage<Boolean> begin(Session session);

  /** The session of that digest: one, or none. */
  CompletionStage<List<Session>> find(String digest);

  /** Ends a session, also where the store is away for a while; completes once that is kept. */
  CompletionStage<Boolean> end(String digest);

  /**
   * Counts a try to sign in for each of {@code who}, unless one of them has none left.
   *
   * @param who digests of names and addresses
   * @return how long to wait before the next try; zero where this one may be judged
   */
  CompletionStage<Duration> attempt(List<String> who, Instant now);

  /** Holds nothing against {@code who} any more. */
  CompletionStage<Boolean> forgive(List<String> who);
}
