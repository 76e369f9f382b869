package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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

  /** Seconds of CPU by thread name; threads that differ in their number alone are one. */
  SortedMap<String, Double> threadSeconds() throws IOException {
    var all = new TreeMap<String, Double>();
    try (var tasks = Files.list(Path.of("/proc/" + java() + "/task"))) {
      for (var task : tasks.toList()) {
        var stat = read(task.resolve("stat"));
        var name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        all.merge(
            name.replaceAll("[#0-9]+$", ""),
            (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS,
            Double::sum);
      }
    }
    return all;
  }

  /** Seconds of CPU used so far by the JVM's compilers; 0 where it is no JVM. */
  double compilerSeconds() throws IOException {
    double seconds = 0;
    for (long pid : pids()) {
      if (read(Path.of("/proc/" + pid + "/comm")).startsWith("java")) {
        for (var thread : threadSeconds().entrySet()) {
          seconds += thread.getKey().contains("Compiler") ? thread.getValue() : 0;
        }
      }
    }
    return seconds;
  }

  /** The process that runs Java: this one, or the one that its launcher became. */
  long java() {
    return pids().stream()
        .filter(pid -> read(Path.of("/proc/" + pid + "/comm")).startsWith("java"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(name + " has no process of Java"));
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
