package dev.mainstay.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One call as it ended: one request of a client, whatever it took to answer it. Immutable, and
 * written once.
 *
 * @param start what was asked, and by whom
 * @param outcome what came of it
 * @param cost what it used
 */
public record CallRecord(CallStart start, Outcome outcome, Cost cost) {

  /** What {@code path} begins with for a call of an agent's run; the agent's name follows. */
  public static final String AGENT_PATH = "in-process/";

  /**
   * What came of a call.
   *
   * @param target {@code provider/model} that answered, or null where none did
   * @param status the HTTP status the client got; 499 where it left before it got one
   * @param verdict {@code CLASS/kind} of what the client was told, or null where it got an answer
   * @param recovery what it took, as in {@code x-mainstay-recovery}: {@code retry}, {@code
   *     fallback}, …
   * @param attempts upstream requests made for it
   * @param firstToken from start to the commit point, or null where it was not reached
   * @param total from start to the end of the answer
   */
  public record Outcome(
      @Nullable String target,
      int status,
      @Nullable String verdict,
      List<String> recovery,
      int attempts,
      @Nullable Duration firstToken,
      Duration total) {
    public Outcome {
      Objects.requireNonNull(total, "total");
      recovery = List.copyOf(recovery);
      if (attempts < 0) {
        throw new IllegalArgumentException("attempts is negative: " + attempts);
      }
    }
  }

  /**
   * What a call used.
   *
   * @param tokens of all its attempts together, or null where none is known
   * @param costNanos of all its attempts together in nano-dollars, or null where a price is
   *     unknown; never 0 for unknown
   * @param priceVersion the price table the cost comes from, or null without a cost
   */
  public record Cost(
      @Nullable Tokens tokens, @Nullable Long costNanos, @Nullable String priceVersion) {}

  /** See {@link CallStart}. */
  public String id() {
    return start.id();
  }

  /** See {@link CallStart}. */
  public @Nullable String run() {
    return start.run();
  }

  /** See {@link CallStart}. */
  public @Nullable String parent() {
    return start.parent();
  }

  /** See {@link CallStart}. */
  public @Nullable String client() {
    return start.client();
  }

  /** See {@link CallStart}. */
  public Instant startedAt() {
    return start.startedAt();
  }

  /** See {@link CallStart}. */
  public String dialect() {
    return start.dialect();
  }

  /** See {@link CallStart}. */
  public String path() {
    return start.path();
  }

  /** See {@link CallStart}. */
  public @Nullable String modelAsked() {
    return start.modelAsked();
  }

  /** See {@link CallStart}. */
  public boolean stream() {
    return start.stream();
  }

  /** See {@link Outcome}. */
  public @Nullable String target() {
    return outcome.target();
  }

  /** See {@link Outcome}. */
  public int status() {
    return outcome.status();
  }

  /** See {@link Outcome}. */
  public @Nullable String verdict() {
    return outcome.verdict();
  }

  /** See {@link Outcome}. */
  public List<String> recovery() {
    return outcome.recovery();
  }

  /** See {@link Outcome}. */
  public int attempts() {
    return outcome.attempts();
  }

  /** See {@link Outcome}. */
  public @Nullable Duration firstToken() {
    return outcome.firstToken();
  }

  /** See {@link Outcome}. */
  public Duration total() {
    return outcome.total();
  }

  /** See {@link Cost}. */
  public @Nullable Tokens tokens() {
    return cost.tokens();
  }

  /** See {@link Cost}. */
  public @Nullable Long costNanos() {
    return cost.costNanos();
  }

  /** See {@link Cost}. */
  public @Nullable String priceVersion() {
    return cost.priceVersion();
  }

  /** The agent whose run made it, or null. */
  public @Nullable String agent() {
    return path().startsWith(AGENT_PATH) ? path().substring(AGENT_PATH.length()) : null;
  }
}
