package dev.mainstay.simulator;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong with one answer. In a body, {@code ${model}} and {@code ${tool}} stand for what
 * the request names.
 */
public sealed interface Fault {
  /** Where it happens, or null: in no place of the answer that would be given. */
  default @Nullable FaultPoint at() {
    return null;
  }

  /** The same at another place. */
  default Fault movedTo(FaultPoint place) {
    return this;
  }

  /** Nothing goes wrong. */
  record None() implements Fault {
    @Override
    public String toString() {
      return "none";
    }
  }

  /**
   * Another answer altogether: an error with its status, an error in a 200, a page of HTML.
   *
   * @param status 200 to 599
   * @param headers added to those that every answer has; {@code content-type} is JSON unless it is
   *     among them
   * @param body sent as it is
   */
  record Reply(int status, Map<String, String> headers, String body) implements Fault {
    public Reply {
      if (status < 200 || status > 599) {
        throw new IllegalArgumentException("status must be 200 to 599, not " + status);
      }
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return "status " + status;
    }
  }

  /** A TCP reset. */
  record Reset(FaultPoint at) implements Fault {
    @Override
    public Fault movedTo(FaultPoint place) {
      return new Reset(place);
    }

    @Override
    public String toString() {
      return "reset " + at;
    }
  }

  /** Nothing more for a time, then the answer goes on; null: for ever, until the client leaves. */
  record Silence(FaultPoint at, @Nullable Duration lasting) implements Fault {
    @Override
    public Fault movedTo(FaultPoint place) {
      return new Silence(place, lasting);
    }

    @Override
    public String toString() {
      return "silence " + at + (lasting == null ? "" : " for " + lasting.toMillis() + " ms");
    }
  }

  /** The body ends well as far as HTTP can tell, without its protocol's own ending. */
  record End(FaultPoint at) implements Fault {
    @Override
    public Fault movedTo(FaultPoint place) {
      return new End(place);
    }

    @Override
    public String toString() {
      return "ends " + at;
    }
  }

  /** The connection closes in the middle of the body. */
  record Cut(FaultPoint at) implements Fault {
    @Override
    public Fault movedTo(FaultPoint place) {
      return new Cut(place);
    }

    @Override
    public String toString() {
      return "cut " + at;
    }
  }

  /** The connection closes inside something that belongs together. */
  record CutInside(Part part) implements Fault {
    @Override
    public String toString() {
      return "cut inside a " + part.label();
    }
  }

  /** Where a {@link CutInside} cuts. */
  enum Part {
    /**
     * Between the bytes of one UTF-8 character. The answer needs one beyond ASCII; the usual one
     * has several.
     */
    CHARACTER("character"),
    /** Inside a JSON string of an event. */
    JSON("json token"),
    /** Inside an HTTP chunk, after fewer bytes than it announced. */
    CHUNK("chunk");

    private final String label;

    Part(String label) {
      this.label = label;
    }

    /** As people say it. */
    public String label() {
      return label;
    }
  }

  /**
   * An error event in the stream, which then ends. Where the answer is not streamed, it is the body
   * of a 200.
   *
   * @param body JSON, in the shape that the dialect sends inside its event
   */
  record ErrorEvent(FaultPoint at, String body) implements Fault {
    @Override
    public String toString() {
      return "error event " + at;
    }
  }

  /** An event that is no JSON; the stream goes on after it. */
  record Malformed(FaultPoint at) implements Fault {
    @Override
    public String toString() {
      return "malformed event " + at;
    }
  }
}
