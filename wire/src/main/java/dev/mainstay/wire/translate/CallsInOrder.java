package dev.mainstay.wire.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Puts tool calls one after the other, for dialects in which a call is a block: OpenAI Chat may mix
 * the pieces of several. A call that begins before the one before it has come to the end of its
 * arguments is held until that has, or until something other than a call follows. Not thread-safe.
 */
public final class CallsInOrder {
  private final Map<Integer, Line> lines = new TreeMap<>();

  private static final class Line {
    private int open = -1;
    private JsonEnd arguments = new JsonEnd();
    private final Map<Integer, List<Delta>> waiting = new LinkedHashMap<>();
  }

  /** Hands {@code delta}, and what it ends the wait of, to {@code next}. */
  public void accept(Delta delta, Consumer<Delta> next) {
    switch (delta) {
      case Delta.ToolCall call -> begin(line(call.choice()), call, next);
      case Delta.Arguments more -> goOn(line(more.choice()), more, next);
      case Delta.Used used -> next.accept(used);
      default -> {
        for (var line : lines.entrySet()) {
          if (delta.ofChoice() < 0 || delta.ofChoice() == line.getKey()) {
            release(line.getValue(), next);
          }
        }
        next.accept(delta);
      }
    }
  }

  /** Takes up where a call was left open with {@code arguments} of it written. */
  public void resume(int choice, int call, String arguments) {
    var line = line(choice);
    line.open = call;
    line.arguments.feed(arguments);
  }

  private Line line(int choice) {
    return lines.computeIfAbsent(choice, c -> new Line());
  }

  private static void begin(Line line, Delta.ToolCall call, Consumer<Delta> next) {
    if (line.open < 0 || (line.arguments.ended() && line.waiting.isEmpty())) {
      open(line, call, next);
    } else {
      line.waiting.computeIfAbsent(call.call(), c -> new ArrayList<>()).add(call);
    }
  }

  private static void open(Line line, Delta.ToolCall call, Consumer<Delta> next) {
    line.open = call.call();
    line.arguments = new JsonEnd();
    next.accept(call);
  }

  private static void goOn(Line line, Delta.Arguments more, Consumer<Delta> next) {
    var held = line.waiting.get(more.call());
    if (held != null) {
      held.add(more);
      return;
    }
    next.accept(more);
    if (more.call() == line.open) {
      line.arguments.feed(more.json());
      if (line.arguments.ended()) {
        releaseEnded(line, next);
      }
    }
  }

  /** Hands over what waits, up to and with the first call that has not ended. */
  private static void releaseEnded(Line line, Consumer<Delta> next) {
    var calls = new ArrayDeque<>(line.waiting.keySet());
    while (!calls.isEmpty() && line.arguments.ended()) {
      hand(line, calls.remove(), next);
    }
  }

  private static void release(Line line, Consumer<Delta> next) {
    for (int call : List.copyOf(line.waiting.keySet())) {
      hand(line, call, next);
    }
    line.open = -1;
  }

  private static void hand(Line line, int call, Consumer<Delta> next) {
    var held = line.waiting.remove(call);
    if (held == null) {
      return;
    }
    for (var delta : held) {
      if (delta instanceof Delta.ToolCall begins) {
        open(line, begins, next);
      } else {
        if (delta instanceof Delta.Arguments more) {
          line.arguments.feed(more.json());
        }
        next.accept(delta);
      }
    }
  }
}
