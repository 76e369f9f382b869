package dev.mainstay.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** The right to write in a folder, which one process has at a time; it ends with the process. */
public final class FolderLock implements AutoCloseable {
  private final Path folder;
  private FileChannel channel;
  private FileIdentity file;

  private FolderLock(Path folder) throws IOException {
    this.folder = folder;
    channel = lock(folder);
    file = FileIdentity.of(path(folder));
  }

  /**
   * Takes the lock of a folder.
   *
   * @throws LedgerException where another process has it
   */
  public static FolderLock take(Path folder) throws IOException {
    return new FolderLock(folder);
  }

  /**
   * Takes the lock anew where its file was removed, with the folder it may be: another process
   * would find it free.
   *
   * @throws IOException where another process has it now
   */
  public synchronized void renew() throws IOException {
    if (!channel.isOpen() || file.now() == FileIdentity.Now.SAME) {
      return;
    }
    PrivateFiles.folder(folder);
    FileChannel renewed;
    try {
      renewed = lock(folder);
    } catch (LedgerException e) {
      throw new IOException(e.getMessage(), e);
    }
    channel.close();
    channel = renewed;
    file = FileIdentity.of(path(folder));
  }

  private static Path path(Path folder) {
    return folder.resolve("lock");
  }

  private static FileChannel lock(Path folder) throws IOException {
    var channel =
        PrivateFiles.open(
            path(folder),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    String holder;
    try {
      if (locked(channel)) {
        var self = Long.toString(ProcessHandle.current().pid()).getBytes(US_ASCII);
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(self), 0);
        return channel;
      }
      holder = holder(channel);
      channel.close();
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    throw new LedgerException(
        "another Mainstay%s writes the ledger in %s: stop it, or give this one a store of its own"
            .formatted(holder, folder));
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // This process has it already.
      return false;
    }
  }

  /** The process that has the lock, in words; empty where it has not written who it is. */
  private static String holder(FileChannel channel) throws IOException {
    var bytes = ByteBuffer.allocate(20);
    channel.read(bytes, 0);
    var text = new String(bytes.array(), 0, bytes.position(), US_ASCII);
    return text.chars().allMatch(Character::isDigit) && !text.isEmpty()
        ? " (process " + text + ")"
        : "";
  }

  @Override
  public synchronized void close() throws IOException {
    channel.close();
  }
}
