package dev.mainstay.ledger;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files and folders that only the user of this process may read, whatever the umask: 0600 and 0700.
 * Prompts and answers are in them. Where a file system has no such permissions, they are as it
 * makes them.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?>[] NONE = {};

  private PrivateFiles() {}

  /** Opens a file; one that is made is private from its first moment. */
  public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, attributes(file, FILE));
  }

  /**
   * Makes a folder and everything that is missing above it, and takes from others what they could
   * do in it and in all that it holds.
   *
   * @throws FileAlreadyExistsException where it is a file
   */
  public static void folder(Path folder) throws IOException {
    var parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(folder, attributes(folder, FOLDER));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
      Files.walkFileTree(folder, new Closing());
    }
  }

  private static final class Closing extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      restrict(folder, FOLDER);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (attributes.isRegularFile()) {
        restrict(file, FILE);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      // A reader's file of a moment ago.
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }

  private static void restrict(Path path, Set<PosixFilePermission> to) throws IOException {
    var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    try {
      if (!to.containsAll(view.readAttributes().permissions())) {
        view.setPermissions(to);
      }
    } catch (NoSuchFileException e) {
      // Gone meanwhile.
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : NONE;
  }
}
