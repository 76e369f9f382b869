package dev.mainstay.ledger;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says why Mainstay cannot write in a folder, and what to do. What a failure itself says is not
 * enough: SQLite gives a dozen names to a disk that is full, and a system says it in the user's
 * language. So this looks at the file system.
 */
public final class FolderFailure {
  /** Two databases with two files beside each, two folders, a segment and a file of the log. */
  private static final int FILES = 10;

  private FolderFailure() {}

  /**
   * In words, with what to do.
   *
   * @param folder that could not be written; need not exist
   * @param needed bytes that what failed may write
   * @param setting of the configuration that names the folder
   */
  public static String explain(Path folder, long needed, String setting, Exception failure) {
    if (failure instanceof FileAlreadyExistsException e) {
      return e.getFile() + " is a file, not a directory. Name a directory in " + setting;
    }
    var shortage = shortage(folder, needed);
    if (shortage != null) {
      return shortage + ". Free space there, or name a directory on another disk in " + setting;
    }
    return switch (failure instanceof FileSystemException e ? e : probe(folder)) {
      case null -> String.valueOf(failure.getMessage());
      case AccessDeniedException e ->
          "%s: permission denied. Let this user (%s) write there, or name another directory in %s"
              .formatted(e.getFile(), user(), setting);
      case FileSystemException e ->
          "%s%s, or name another directory in %s"
              .formatted(e.getMessage(), advice(folder), setting);
    };
  }

  private static String advice(Path folder) {
    try {
      var store = store(folder);
      if (store.isReadOnly()) {
        return ". Mount it for writing";
      }
      var refused = probe(folder);
      return refused == null || refused instanceof AccessDeniedException
          ? ". Make this user (%s) the owner of it and of all that it holds".formatted(user())
          : " (%s are free on %s: `df -i` shows whether it can hold more files). Make room there"
              .formatted(size(store.getUsableSpace()), store);
    } catch (IOException e) {
      return ". Make it writable";
    }
  }

  private static String user() {
    return System.getProperty("user.name");
  }

  /**
   * Says that a folder's disk is full; null where it has room for {@code needed} bytes, or cannot
   * be asked.
   */
  public static @Nullable String shortage(Path folder, long needed) {
    try {
      var store = store(folder);
      long free = store.getUsableSpace();
      return free >= needed
          ? null
          : "the disk of %s is full: %s are free on %s, and up to %s are needed"
              .formatted(folder, size(free), store, size(needed));
    } catch (IOException e) {
      return null;
    }
  }

  private static FileStore store(Path folder) throws IOException {
    return Files.getFileStore(existing(folder));
  }

  private static Path existing(Path folder) throws IOException {
    var at = folder.toAbsolutePath();
    while (!Files.exists(at)) {
      at = at.getParent();
      if (at == null) {
        throw new IOException("no part of " + folder + " exists");
      }
    }
    return at;
  }

  /** What the system says to as many new files as a store has; null where it makes them. */
  private static @Nullable FileSystemException probe(Path folder) {
    var made = new ArrayList<FileChannel>();
    try {
      var existing = existing(folder);
      try {
        for (int i = 0; i < FILES; i++) {
          made.add(newFile(existing.resolve(".probe-" + i)));
        }
        return null;
      } finally {
        for (var file : made) {
          file.close();
        }
      }
    } catch (FileSystemException e) {
      return e;
    } catch (IOException e) {
      return null;
    }
  }

  private static FileChannel newFile(Path file) throws IOException {
    return PrivateFiles.open(
        file,
        Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE));
  }

  private static String size(long bytes) {
    return bytes < 10 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
  }
}
