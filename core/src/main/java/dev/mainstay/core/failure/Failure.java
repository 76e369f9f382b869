package dev.mainstay.core.failure;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one attempt gone wrong; nothing in it is an opinion. Immutable.
 *
 * <p>{@code provider} is the provider's name as in the rule tables ({@code openai}, {@code
 * anthropic}, {@code bedrock}, …), or null where it is not known.
 */
public sealed interface Failure {

  @Nullable String provider();

  /**
   * An HTTP reply: a status that says so, or a 200 that carries an error.
   *
   * @param status the HTTP status, or null where only the body is known
   * @param body what was read of the body, possibly empty
   */
  record Reply(@Nullable String provider, @Nullable Integer status, Headers headers, String body)
      implements Failure {
    public Reply {
      Objects.requireNonNull(headers, "headers");
      Objects.requireNonNull(body, "body");
    }
  }

  /**
   * A stream that did not end well.
   *
   * @param arrived what had arrived before it ended
   * @param ending how it ended
   * @param event the error event or the malformed event itself, or null
   */
  record Stream(
      @Nullable String provider, Arrived arrived, StreamEnding ending, @Nullable String event)
      implements Failure {
    public Stream {
      Objects.requireNonNull(arrived, "arrived");
      Objects.requireNonNull(ending, "ending");
    }
  }

  /**
   * An exception, already walked: its text with all its causes, and what was found wrapped in it.
   *
   * @param text class names and messages of the exception and its causes, outermost first
   * @param status an HTTP status found on one of them, or null
   * @param headers the reply's headers where one of them carried a reply
   * @param body a provider's body found on one of them, or null
   */
  record Thrown(
      @Nullable String provider,
      String text,
      @Nullable Integer status,
      Headers headers,
      @Nullable String body)
      implements Failure {
    public Thrown {
      Objects.requireNonNull(text, "text");
      Objects.requireNonNull(headers, "headers");
    }
  }

  /** What of an answer had arrived when its stream ended. */
  enum Arrived {
    NOTHING,
    HEADERS,
    PREAMBLE,
    REASONING,
    TEXT,
    TOOL_CALL
  }

  /** How a stream ended that did not end well. */
  enum StreamEnding {
    /** Closed by the peer without the protocol's own ending. */
    CLOSED,
    /** Reset, or cut inside a chunk. */
    RESET,
    /** Nothing arrived for longer than the idle or first-token timeout. */
    SILENT,
    /** The provider sent an error event. */
    ERROR_EVENT,
    /** An event that cannot be read. */
    MALFORMED_EVENT,
    /** Ended as the protocol says, without any answer in it. */
    EMPTY,
    /**
     * A whole answer that calls a tool which was not offered, or with arguments nobody can read.
     */
    BAD_TOOL_CALL,
    /** A whole answer that was to be JSON and is not, or does not fit its schema. */
    NOT_JSON,
    /** An answer that was to go on where another had stopped, and is a different one. */
    DIVERGED,
    /** A whole answer that the provider's filter or the model ended with a refusal. */
    REFUSED,
    /** More had to be held back than this process holds. */
    TOO_LARGE
  }
}
