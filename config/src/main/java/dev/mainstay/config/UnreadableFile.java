package dev.mainstay.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Says what is in the way where a file cannot be read. */
public final class UnreadableFile {
  private UnreadableFile() {}

  /** What {@code file} is instead of a file that can be read, with its whole path. */
  public static String what(Path file, IOException e) {
    var where = file.toAbsolutePath().normalize();
    if (Files.isDirectory(file)) {
      return where + ", which is a directory";
    }
    return switch (e) {
      case NoSuchFileException _ -> "no file " + where;
      case AccessDeniedException _ -> where + ", which this user cannot read";
      default -> "%s, which Mainstay cannot read (%s)".formatted(where, e.getMessage());
    };
  }
}
