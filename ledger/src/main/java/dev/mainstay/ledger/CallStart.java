package dev.mainstay.ledger;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a call when it begins. The fields mean what they mean in {@link CallRecord}.
 * Immutable.
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
