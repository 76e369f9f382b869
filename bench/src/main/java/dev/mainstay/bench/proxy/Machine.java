package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Where it runs: the proxy alone on one core, the upstream and the load beside it.
 *
 * @param launcher {@code ./mainstay}
 * @param cores how many there are; with more than two, upstream and load have one each
 * @param files how many a process may have open
 */
record Machine(Path launcher, int cores, int files) {
  int proxyCore() {
    return 0;
  }

  int upstreamCore() {
    return 1;
  }

  /** The core of this process, which the script has put it on. */
  static int loadCore(int cores) {
    return cores > 2 ? 2 : 1;
  }

  /** Looks at this machine; {@code missing} takes what has to be installed first. */
  static Machine look(Path launcher, List<String> missing) throws IOException {
    if (!Files.isDirectory(Path.of("/proc/self"))) {
      missing.add("/proc: this benchmark counts CPU as Linux tells it");
    }
    for (var tool : List.of("nginx", "taskset")) {
      if (!onPath(tool)) {
        missing.add(
            tool.equals("nginx")
                ? "nginx: apt-get install nginx-light, or what your system calls it"
                : "taskset: it comes with util-linux");
      }
    }
    int cores = cpuModels().size();
    if (cores < 2) {
      missing.add("a second core: the proxy has one for itself");
    }
    return new Machine(launcher, cores, openFiles());
  }

  private static boolean onPath(String tool) {
    for (var folder : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":")) {
      if (Files.isExecutable(Path.of(folder, tool))) {
        return true;
      }
    }
    return false;
  }

  private static List<String> cpuModels() throws IOException {
    var models = new ArrayList<String>();
    for (var line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
      if (line.startsWith("processor")) {
        models.add(line);
      }
    }
    return models;
  }

  private static int openFiles() throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc/self/limits"))) {
      if (line.startsWith("Max open files")) {
        var hard = line.strip().split(" {2,}")[2];
        return hard.equals("unlimited")
            ? 1_000_000
            : (int) Math.min(1_000_000, Long.parseLong(hard));
      }
    }
    return 1024;
  }

  /** One line for a report. */
  String describe() {
    return String.format(
        Locale.ROOT,
        "%d cores, Linux %s, JDK %s, %d open files a process",
        cores,
        System.getProperty("os.version"),
        Runtime.version(),
        files);
  }
}
