package dev.mainstay.ledger.state;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Who did what. Kept for 400 days. Threads and failures as in {@link DurableState}. */
public interface AuditLog {
  /**
   * Something that a person did.
   *
   * @param number orders all entries; 0 until it is kept
   * @param who the account's name, or what the person came in by
   * @param role the person's role then
   * @param action the method and the path, or {@code signed in}, {@code refused}, …
   * @param from the address it came from
   */
  record Entry(long number, Instant at, String who, String role, String action, String from) {}

  /** Keeps an entry. */
  CompletionStage<Long> add(Entry entry);

  /**
   * The newest first.
   *
   * @param before the number to begin behind; {@code Long.MAX_VALUE} for the newest
   */
  CompletionStage<List<Entry>> page(long before, int limit);
}
