package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * This process's own directory among those of all gateways on this machine: the first that none
 * uses. So any number of gateways start with one configuration, and the next one that starts brings
 * to the database what a dead one left.
 */
final class SpoolDirectory implements AutoCloseable {
  private static final int MOST = 256;

  private final Path path;
  private final FileChannel lock;

  private SpoolDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  static SpoolDirectory firstFree(Path parent) throws IOException {
    PrivateFiles.folder(parent);
    for (int i = 1; i <= MOST; i++) {
      var path = parent.resolve("gateway-" + i);
      PrivateFiles.folder(path);
      var lock = lock(path);
      if (lock != null) {
        return new SpoolDirectory(path, lock);
      }
    }
    throw new LedgerException(
        "%d gateways use the spool in %s: give this one a directory of its own (store.spool)"
            .formatted(MOST, parent));
  }

  private static @Nullable FileChannel lock(Path path) throws IOException {
    var channel =
        PrivateFiles.open(
            path.resolve("lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // This process has it already.
    }
    channel.close();
    return null;
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
