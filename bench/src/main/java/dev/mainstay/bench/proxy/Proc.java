package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process with its children, as {@code /proc} knows it. Closing ends it, at first politely.
 *
 * @param name for messages
 */
record Proc(String name, Process process, int port) implements AutoCloseable {
  /** CPU is counted in hundredths of a second, on every Linux there is. */
  private static final double TICKS = 100;

  /** Seconds of CPU used so far, user and system, by all threads: compilers and collectors too. */
  double cpuSeconds() {
    long ticks = 0;
    for (long pid : pids()) {
      var stat = read(Path.of("/proc/" + pid + "/stat"));
      // The name, in brackets, may hold blanks.
      var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
    return ticks / TICKS;
  }

  /** Memory that is held now, in MiB. */
  double residentMib() {
    long kib = 0;
    for (long pid : pids()) {
      for (var line : read(Path.of("/proc/" + pid + "/status")).split("\n")) {
        if (line.startsWith("VmRSS:")) {
          kib += Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
    }
    return kib / 1024.0;
  }

  private List<Long> pids() {
    var all = new ArrayList<Long>();
    all.add(process.pid());
    process.descendants().forEach(child -> all.add(child.pid()));
    return all;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read: has the process ended?", e);
    }
  }

  @Override
  public void close() {
    var children = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
    children.forEach(ProcessHandle::destroyForcibly);
  }
}
