package dev.mainstay.ledger;

import java.time.Instant;
import java.util.Objects;

/**
 * What is known of an attempt when its request is sent. The fields mean what they mean in {@link
 * AttemptRecord}. Immutable.
 */
public record AttemptStart(String call, int number, String target, Instant startedAt) {

  public AttemptStart {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(startedAt, "startedAt");
  }
}
