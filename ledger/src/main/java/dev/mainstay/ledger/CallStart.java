package dev.mainstay.ledger;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a call when it begins: what was asked, and by whom. Immutable.
 *
 * @param id as in {@code x-mainstay-call}; from {@link CallIds}, so that ids sort by time
 * @param run the run it belongs to, or null
 * @param parent the call or step that made it, or null
 * @param client the name of the client's key, or null where none is needed
 * @param startedAt when its request was read
 * @param dialect the client's wire format, for example {@code openai}
 * @param path what was asked of the gateway, without query
 * @param modelAsked the model as the client wrote it, or null where the request names none
 * @param stream whether the client asked for a stream
 */
public record CallStart(
    String id,
    @Nullable String run,
    @Nullable String parent,
    @Nullable String client,
    Instant startedAt,
    String dialect,
    String path,
    @Nullable String modelAsked,
    boolean stream) {

  public CallStart {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(startedAt, "startedAt");
    Objects.requireNonNull(dialect, "dialect");
    Objects.requireNonNull(path, "path");
  }
}
