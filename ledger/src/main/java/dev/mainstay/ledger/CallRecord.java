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
 * @param id as in {@code x-mainstay-call}; from {@link CallIds}, so that ids sort by time
 * @param run the run it belongs to, or null
 * @param parent the call or step that made it, or null
 * @param client the name of the client's key, or null where none is needed
 * @param startedAt when its request was read
 * @param dialect the client's wire format, for example {@code openai}
 * @param path what was asked of the gateway, without query
 * @param modelAsked the model as the client wrote it, or null where the request names none
 * @param target {@code provider/model} that answered, or null where none did
 * @param stream whether the client asked for a stream
 * @param status the HTTP status the client got; 499 where it left before it got one
 * @param verdict {@code CLASS/kind} of what the client was told, or null where it got an answer
 * @param recovery what it took, as in {@code x-mainstay-recovery}: {@code retry}, {@code fallback},
 *     …
 * @param attempts upstream requests made for it
 * @param tokens of all its attempts together, or null where none is known
 * @param costNanos of all its attempts together in nano-dollars, or null where a price is unknown;
 *     never 0 for unknown
 * @param priceVersion the price table the cost comes from, or null without a cost
 * @param firstToken from start to the commit point, or null where it was not reached
 * @param total from start to the end of the answer
 */
public record CallRecord(
    String id,
    @Nullable String run,
    @Nullable String parent,
    @Nullable String client,
    Instant startedAt,
    String dialect,
    String path,
    @Nullable String modelAsked,
    @Nullable String target,
    boolean stream,
    int status,
    @Nullable String verdict,
    List<String> recovery,
    int attempts,
    @Nullable Tokens tokens,
    @Nullable Long costNanos,
    @Nullable String priceVersion,
    @Nullable Duration firstToken,
    Duration total) {

  /** What {@code path} begins with for a call of an agent's run; the agent's name follows. */
  public static final String AGENT_PATH = "in-process/";

  public CallRecord {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(startedAt, "startedAt");
    Objects.requireNonNull(dialect, "dialect");
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(total, "total");
    recovery = List.copyOf(recovery);
    if (attempts < 0) {
      throw new IllegalArgumentException("attempts is negative: " + attempts);
    }
  }

  /** The agent whose run made it, or null. */
  public @Nullable String agent() {
    return path.startsWith(AGENT_PATH) ? path.substring(AGENT_PATH.length()) : null;
  }
}
