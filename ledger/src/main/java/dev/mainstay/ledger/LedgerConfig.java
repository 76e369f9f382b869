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
 * @param logBytes of the log in front of the store, on disk; calls wait there while the store is
 *     slow or away, without their bodies from three quarters of it on, and are dropped and counted
 *     beyond it; default 256 MiB, at least 256 KiB
 * @param redactor what is taken out before anything is kept; default nothing
 * @param bodyText what of kept bodies can be searched; default nothing
 */
public record LedgerConfig(
    Path directory,
    boolean bodies,
    Duration retention,
    long maxBytes,
    long keptBytes,
    long logBytes,
    Redactor redactor,
    BodyText bodyText) {
  private static final long MIB = 1 << 20;
  private static final long LEAST_LOG = MIB / 4;

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
    if (logBytes < LEAST_LOG) {
      throw new IllegalArgumentException(
          "the log's bound is " + logBytes + ", not 256 KiB or more");
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
        256 * MIB,
        Redactor.NONE,
        BodyText.NONE);
  }

  /** This configuration with another budget of time and bytes. */
  public LedgerConfig keeping(Duration newRetention, long newMaxBytes) {
    return new LedgerConfig(
        directory, bodies, newRetention, newMaxBytes, keptBytes, logBytes, redactor, bodyText);
  }

  /** This configuration with {@code newRedactor} looking at all that is kept. */
  public LedgerConfig redacting(Redactor newRedactor) {
    return new LedgerConfig(
        directory, bodies, retention, maxBytes, keptBytes, logBytes, newRedactor, bodyText);
  }

  /** This configuration with the text that {@code newBodyText} finds kept to be searched. */
  public LedgerConfig searching(BodyText newBodyText) {
    return new LedgerConfig(
        directory, bodies, retention, maxBytes, keptBytes, logBytes, redactor, newBodyText);
  }
}
