package dev.mainstay.ledger;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Where and how much is kept.
 *
 * @param directory the ledger's own directory; made where it is missing
 * @param bodies whether bodies are kept; default true
 * @param retention calls and bodies older than this are deleted; default 30 days
 * @param maxBytes beyond it the oldest bodies are deleted, and then the oldest calls; default 20
 *     GiB, at least 1 MiB
 * @param keptBytes of answers and requests that are kept to be given or made again; beyond it the
 *     oldest answers go; default 1 GiB, at least 1 MiB
 * @param waitingBodyBytes bodies in memory while the disk is slow or full; beyond it bodies are
 *     dropped and counted; default 32 MiB, or a sixteenth of the largest heap where that is less
 * @param waitingRecordBytes records in memory while the disk is slow or full; beyond it whole calls
 *     are dropped and counted; default 16 MiB, some 20,000 calls, or half of that sixteenth
 * @param redactor what is taken out before anything is kept; default nothing
 */
public record LedgerConfig(
    Path directory,
    boolean bodies,
    Duration retention,
    long maxBytes,
    long keptBytes,
    long waitingBodyBytes,
    long waitingRecordBytes,
    Redactor redactor) {
  private static final long MIB = 1 << 20;
  private static final long HEAP = Runtime.getRuntime().maxMemory();

  public LedgerConfig {
    Objects.requireNonNull(directory, "directory");
    if (retention.isNegative() || retention.isZero()) {
      throw new IllegalArgumentException("retention is " + retention + ", not more than 0");
    }
    if (maxBytes < MIB) {
      throw new IllegalArgumentException("max-bytes is " + maxBytes + ", not 1 MiB or more");
    }
    if (keptBytes < MIB) {
      throw new IllegalArgumentException("max-kept is " + keptBytes + ", not 1 MiB or more");
    }
    if (waitingBodyBytes < 0 || waitingRecordBytes < 0) {
      throw new IllegalArgumentException(
          "bytes that may wait in memory are negative: %d for bodies, %d for records"
              .formatted(waitingBodyBytes, waitingRecordBytes));
    }
  }

  /** Everything at its default, in {@code directory}. */
  public static LedgerConfig in(Path directory) {
    return new LedgerConfig(
        directory,
        true,
        Duration.ofDays(30),
        20L * 1024 * MIB,
        1024 * MIB,
        Math.min(32 * MIB, HEAP / 16),
        Math.min(16 * MIB, HEAP / 32),
        Redactor.NONE);
  }

  /** This configuration with another budget of time and bytes. */
  public LedgerConfig keeping(Duration newRetention, long newMaxBytes) {
    return new LedgerConfig(
        directory,
        bodies,
        newRetention,
        newMaxBytes,
        keptBytes,
        waitingBodyBytes,
        waitingRecordBytes,
        redactor);
  }

  /** This configuration with {@code newRedactor} looking at all that is kept. */
  public LedgerConfig redacting(Redactor newRedactor) {
    return new LedgerConfig(
        directory,
        bodies,
        retention,
        maxBytes,
        keptBytes,
        waitingBodyBytes,
        waitingRecordBytes,
        newRedactor);
  }
}
