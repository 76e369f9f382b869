package dev.mainstay.ledger.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs closed segments, one after the other, on a thread that yields to all others: compressing a
 * call's bodies costs more than carrying it, so that it is done where nobody waits. What cannot be
 * packed, on a full disk for example, is tried again later; it can be read as it is.
 */
final class Packer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Packer.class);
  private static final long EVERY_SECONDS = 30;

  private final Path directory;
  private final IntSupplier current;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /**
   * @param current the segment that is being written; only those before it are packed
   */
  Packer(Path directory, IntSupplier current) {
    this.directory = directory;
    this.current = current;
    thread = Thread.ofPlatform().daemon().name("mainstay-packer").priority(1).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      do {
        packAll();
      } while (!closed.await(EVERY_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Packs every closed segment there is now. */
  void packAll() {
    try {
      for (int number : Segments.list(directory).headMap(current.getAsInt()).keySet()) {
        if (Files.exists(Segments.path(directory, number)) && closed.getCount() > 0) {
          Packed.pack(directory, number, () -> closed.getCount() == 0);
        }
      }
    } catch (IOException e) {
      LOG.debug("Mainstay could not compress a segment and tries again: {}", e.getMessage());
    }
  }

  /** Leaves what is half packed as it was. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
