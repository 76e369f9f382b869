package dev.mainstay.app.broken;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a client has of one stream, read without any of Mainstay's own code. Not thread-safe. */
final class Heard {
  /** An event as it came. */
  record Event(String name, String data) {}

  final StringBuilder text = new StringBuilder();
  final StringBuilder reasoning = new StringBuilder();
  final List<String> finishes = new ArrayList<>();
  final List<String> errors = new ArrayList<>();

  /** What no SDK should have to put up with. */
  final List<String> faults = new ArrayList<>();

  private final Map<Integer, StringBuilder> calls = new TreeMap<>();
  private String id = "";
  private String model = "";
  private boolean ended;

  // Counted by the dialects that number things.
  int numbers;
  int blocks;
  boolean open;

  /** Whether reasoning came with its signature. */
  boolean signed;

  /** The events of a body, comments left out. */
  static List<Event> events(String body) {
    var events = new ArrayList<Event>();
    for (String block : body.replace("\r\n", "\n").split("\n\n", -1)) {
      String name = "";
      var data = new StringBuilder();
      for (String line : block.split("\n", -1)) {
        if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("data: ")) {
          data.append(line, 6, line.length());
        } else if (!line.isEmpty() && !line.startsWith(":")) {
          data.append("?").append(line);
        }
      }
      if (!data.isEmpty()) {
        events.add(new Event(name, data.toString()));
      }
    }
    return events;
  }

  void id(String said) {
    id = same("id", id, said);
  }

  void model(String said) {
    model = same("model", model, said);
  }

  private String same(String what, String before, String now) {
    if (!before.isEmpty() && !now.equals(before)) {
      faults.add(what + " was " + before + " and became " + now);
    }
    return now;
  }

  void call(int index, String more) {
    calls.computeIfAbsent(index, _ -> new StringBuilder()).append(more);
  }

  void end() {
    if (ended) {
      faults.add("ended twice");
    }
    ended = true;
  }

  /** Something came; after the end or an error nothing may. */
  void something(String what) {
    if (ended || !errors.isEmpty()) {
      faults.add("after the end: " + what);
    }
  }

  void fault(String what) {
    faults.add(what);
  }

  boolean ended() {
    return ended;
  }

  List<String> calls() {
    return calls.values().stream().map(StringBuilder::toString).toList();
  }

  /** Whether the client's SDK takes it for a success. */
  boolean success() {
    return ended && errors.isEmpty();
  }

  @Override
  public String toString() {
    return "text="
        + text
        + " reasoning="
        + reasoning
        + " calls="
        + calls()
        + " finishes="
        + finishes
        + " errors="
        + errors
        + " ended="
        + ended
        + " faults="
        + faults;
  }
}
