package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads a flight recording: which threads, which methods, and which of our own the time goes to.
 */
final class Profile {
  private static final int ROWS = 60;

  private Profile() {}

  /** Begins to record process {@code pid}, by the CPU time that its threads take (JEP 509). */
  static void start(long pid, Path into) throws IOException {
    jcmd(
        pid,
        "JFR.start",
        "name=bench",
        "filename=" + into,
        "jdk.CPUTimeSample#enabled=true",
        "jdk.CPUTimeSample#throttle=1ms",
        "jdk.ObjectAllocationSample#enabled=true",
        "jdk.ObjectAllocationSample#throttle=2000/s");
  }

  static void stop(long pid) throws IOException {
    jcmd(pid, "JFR.stop", "name=bench");
  }

  private static void jcmd(long pid, String... command) throws IOException {
    var all = new ArrayList<String>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    all.add("" + pid);
    all.addAll(List.of(command));
    var run = new ProcessBuilder(all).redirectErrorStream(true).start();
    var said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (run.waitFor() != 0) {
        throw new IOException("the flight recorder could not be used: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void print(Path recording, PrintStream out) throws IOException {
    var threads = new HashMap<String, Integer>();
    var tops = new HashMap<String, Integer>();
    var ours = new HashMap<String, Integer>();
    var nearest = new HashMap<String, Integer>();
    var allocated = new HashMap<String, Integer>();
    int samples = 0;
    int allocations = 0;
    try (var file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        var event = file.readEvent();
        var type = event.getEventType().getName();
        boolean sample = type.equals("jdk.CPUTimeSample");
        if (event.getStackTrace() == null) {
          continue;
        }
        if (sample) {
          samples++;
          var thread = event.getThread("eventThread");
          threads.merge(
              thread == null ? "?" : String.valueOf(thread.getJavaName()), 1, Integer::sum);
          tops.merge(name(event.getStackTrace().getFrames().getFirst()), 1, Integer::sum);
          inclusive(event, ours);
          nearest.merge(nearest(event), 1, Integer::sum);
        } else if (type.equals("jdk.ObjectAllocationSample")) {
          allocations++;
          inclusive(event, allocated);
        }
      }
    }
    table("threads", threads, samples, out);
    table("where it was", tops, samples, out);
    table("the nearest frame of ours", nearest, samples, out);
    table("in or below, of ours", ours, samples, out);
    table("allocations in or below", allocated, allocations, out);
  }

  private static void inclusive(RecordedEvent event, Map<String, Integer> counts) {
    var seen = new HashSet<String>();
    for (var frame : event.getStackTrace().getFrames()) {
      var name = name(frame);
      if (name.startsWith("dev.mainstay")) {
        seen.add(name);
      }
    }
    seen.forEach(name -> counts.merge(name, 1, Integer::sum));
  }

  private static String nearest(RecordedEvent event) {
    for (var frame : event.getStackTrace().getFrames()) {
      var name = name(frame);
      if (name.startsWith("dev.mainstay")) {
        return name;
      }
    }
    return "none: " + name(event.getStackTrace().getFrames().getFirst());
  }

  private static String name(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    return method.getType().getName() + "." + method.getName();
  }

  private static void table(String title, Map<String, Integer> counts, int all, PrintStream out) {
    out.printf("%n%s (%d samples)%n", title, all);
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(ROWS)
        .forEach(
            each -> out.printf("  %5.1f %%  %s%n", each.getValue() * 100.0 / all, each.getKey()));
  }
}
