package dev.mainstay.config;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.parser.Parser;

/**
 * Bounds what a document can become: the composer recurses for each level, and a reader visits what
 * an alias stands for each time it stands there. Counts depth and nodes with aliases expanded,
 * event by event, and fails at the line that exceeds a bound. Belongs to one thread.
 */
final class BoundedParser implements Parser {
  /** Levels of a document; the deepest configuration, an agent's JSON Schema, needs some thirty. */
  static final int MAX_DEPTH = 100;

  /** Nodes of a document, those that an alias repeats included. */
  static final int MAX_NODES = 1_000_000;

  /** A node that has begun: what is known of it so far, its aliases expanded. */
  private static final class Open {
    private final @Nullable Anchor anchor;
    private long nodes = 1;
    private int depth = 1;

    private Open(@Nullable Anchor anchor) {
      this.anchor = anchor;
    }

    private void add(Size child) {
      nodes += child.nodes();
      depth = Math.max(depth, child.depth() + 1);
    }
  }

  /** A whole node, its aliases expanded. */
  private record Size(long nodes, int depth) {
    private static final Size SCALAR = new Size(1, 1);
  }

  private final Parser parser;
  private final Deque<Open> open = new ArrayDeque<>();
  private final Map<Anchor, Size> anchors = new HashMap<>();
  private long nodes;

  BoundedParser(Parser parser) {
    this.parser = parser;
  }

  @Override
  public boolean checkEvent(Event.ID choice) {
    return parser.checkEvent(choice);
  }

  @Override
  public Event peekEvent() {
    return parser.peekEvent();
  }

  @Override
  public boolean hasNext() {
    return parser.hasNext();
  }

  @Override
  public Event next() {
    var event = parser.next();
    switch (event.getEventId()) {
      case SequenceStart, MappingStart -> {
        open.push(new Open(anchor(event)));
        grow(Size.SCALAR, event);
      }
      case SequenceEnd, MappingEnd -> {
        var ended = open.pop();
        whole(ended.anchor, new Size(ended.nodes, ended.depth));
      }
      case Scalar -> {
        grow(Size.SCALAR, event);
        whole(anchor(event), Size.SCALAR);
      }
      case Alias -> {
        var meant = anchors.get(((AliasEvent) event).getAlias());
        if (meant == null) {
          throw wrong("an alias without an anchor before it", event);
        }
        grow(meant, event);
        whole(null, meant);
      }
      default -> {}
    }
    return event;
  }

  private void grow(Size by, Event event) {
    nodes += by.nodes();
    int depth = open.size() + by.depth();
    if (depth > MAX_DEPTH) {
      throw wrong("more than " + MAX_DEPTH + " nested levels", event);
    }
    if (nodes > MAX_NODES) {
      throw wrong("more than " + MAX_NODES + " values, with each alias counted", event);
    }
  }

  private void whole(@Nullable Anchor anchor, Size size) {
    if (anchor != null) {
      anchors.put(anchor, size);
    }
    if (!open.isEmpty()) {
      open.peek().add(size);
    }
  }

  private static @Nullable Anchor anchor(Event event) {
    return ((NodeEvent) event).getAnchor().orElse(null);
  }

  private static ParserException wrong(String found, Event event) {
    return new ParserException(null, Optional.empty(), found, event.getStartMark());
  }
}
