package dev.mainstay.gateway;

import dev.mainstay.gateway.config.Config;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The running gateway: one port, one generation of the configuration at a time. Thread-safe. */
public final class Gateway implements AutoCloseable {
  private Gateway() {}

  /**
   * Listens and serves.
   *
   * @param recorder where calls are recorded; stays open when the gateway closes
   * @param reader what {@code /api/calls} reads, or null where the ledger is not to be read
   * @throws IOException when the address cannot be listened on
   */
  public static Gateway start(Config config, Recorder recorder, @Nullable LedgerReader reader)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** The port it listens on. */
  public int port() {
    throw new UnsupportedOperationException();
  }

  /** Serves new requests by {@code config}; those that run go on as they began. */
  public void reload(Config config) {
    throw new UnsupportedOperationException();
  }

  /**
   * Is not ready any more, takes no new connection, lets what runs finish for at most {@code
   * atMost}, ends the rest with an error in the client's dialect, and closes.
   */
  public void close(Duration atMost) {
    throw new UnsupportedOperationException();
  }

  /** {@link #close(Duration)} without any time to finish. */
  @Override
  public void close() {
    close(Duration.ZERO);
  }
}
