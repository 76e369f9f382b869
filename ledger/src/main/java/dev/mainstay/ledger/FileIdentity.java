package dev.mainstay.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which file stood under a path when it was opened: a file that is deleted while it is open can
 * still be written, and all that is written is lost with the process. Immutable.
 *
 * @param path where it stood
 * @param key what tells it from another file in its place; null where the file system has no such
 *     key
 */
public record FileIdentity(Path path, @Nullable Object key) {

  /** What stands at {@link #path} now. */
  public enum Now {
    /** The same file. */
    SAME,
    /** None. */
    GONE,
    /** Another one. */
    REPLACED
  }

  /** The file at {@code path}, which has just been opened. */
  public static FileIdentity of(Path path) throws IOException {
    return new FileIdentity(path, key(path));
  }

  /** Looks; a microsecond or two. */
  public Now now() throws IOException {
    try {
      return Objects.equals(key, key(path)) ? Now.SAME : Now.REPLACED;
    } catch (NoSuchFileException e) {
      return Now.GONE;
    }
  }

  private static @Nullable Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }
}
