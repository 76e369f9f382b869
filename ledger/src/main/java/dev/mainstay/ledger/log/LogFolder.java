package dev.mainstay.ledger.log;

import dev.mainstay.ledger.PrivateFiles;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder of the log's files, {@code NNNN.log}. Safe for use by many threads. */
final class LogFolder {
  private static final Logger LOG = LoggerFactory.getLogger(LogFolder.class);
  static final String SUFFIX = ".log";

  /** What a file that cannot be read is called then. */
  static final String DAMAGED = ".damaged";

  private final Path folder;
  private final AtomicInteger last = new AtomicInteger();

  LogFolder(Path folder) throws IOException {
    this.folder = folder;
    make();
  }

  Path folder() {
    return folder;
  }

  /** Makes the folder where there is none. */
  void make() throws IOException {
    PrivateFiles.folder(folder);
  }

  /** The files that are there, those that are in no use first, then the oldest; once, at first. */
  List<LogSegment> find() throws IOException {
    var found = new ArrayList<LogSegment>();
    try (var files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
      for (var file : files) {
        last.accumulateAndGet(number(file), Math::max);
        var segment = LogSegment.open(file);
        if (segment == null) {
          setAside(file);
        } else {
          found.add(segment);
        }
      }
    }
    found.sort(Comparator.comparingLong(LogSegment::number));
    return found;
  }

  private static int number(Path file) {
    var name = file.getFileName().toString();
    try {
      return Integer.parseInt(name, 0, name.length() - SUFFIX.length(), 10);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static void setAside(Path file) throws IOException {
    if (isBlank(file)) {
      Files.delete(file);
      return;
    }
    var aside = file.resolveSibling(file.getFileName() + DAMAGED);
    Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
    LOG.warn(
        "{} is damaged. Mainstay cannot read it and moved it to {}", file, aside.getFileName());
  }

  /** Whether the process died while it made the file: it holds zeros alone, and never an entry. */
  static boolean isBlank(Path file) throws IOException {
    try (var in = new BufferedInputStream(Files.newInputStream(file))) {
      int next = in.read();
      while (next == 0) {
        next = in.read();
      }
      return next < 0;
    }
  }

  /** A new file; on failure there is none. */
  LogSegment create(long size) throws IOException {
    var name = String.format(Locale.ROOT, "%04d%s", last.incrementAndGet(), SUFFIX);
    return LogSegment.create(folder.resolve(name), size);
  }
}
