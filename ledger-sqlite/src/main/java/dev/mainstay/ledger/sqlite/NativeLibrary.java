package dev.mainstay.ledger.sqlite;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * SQLite itself, which its driver brings along in a jar. Unpacked once into a folder beside that
 * jar, named as it is, a start need not do it again: the driver would start {@code uname}, unpack a
 * megabyte into the folder for temporary files and compare it byte by byte, which on one core takes
 * as long as all else that opens a ledger. Where there is no such folder it does so still.
 */
public final class NativeLibrary {
  private static final String FOLDER = "org.sqlite.lib.path";
  private static final String SUFFIX = ".jar";

  private NativeLibrary() {}

  /**
   * Unpacks it for the starts that follow, from this process's driver and for this machine.
   *
   * @throws IOException where it cannot be written
   */
  public static void unpack() throws IOException {
    var folder = folder();
    if (folder == null) {
      return;
    }
    var name = LibraryLoaderUtil.getNativeLibName();
    Files.createDirectories(folder);
    // Not the name that a start looks for, until it is whole.
    var part = Files.createTempFile(folder, name, ".part");
    try (var packed =
        JDBC.class.getResourceAsStream(LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name)) {
      if (packed == null) {
        throw new IOException("the SQLite driver has no library for this machine");
      }
      Files.copy(packed, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** Before the first connection: lets the driver take it from where it was unpacked. */
  static void find() {
    var folder = folder();
    if (folder != null && System.getProperty(FOLDER) == null && Files.isDirectory(folder)) {
      System.setProperty(FOLDER, folder.toString());
    }
  }

  /** {@code lib/sqlite-jdbc-3.jar} has it in {@code lib/sqlite-jdbc-3}; null outside of a jar. */
  private static @Nullable Path folder() {
    try {
      var jar = Path.of(JDBC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      var name = jar.getFileName().toString();
      return name.endsWith(SUFFIX)
          ? jar.resolveSibling(name.substring(0, name.length() - SUFFIX.length()))
          : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
