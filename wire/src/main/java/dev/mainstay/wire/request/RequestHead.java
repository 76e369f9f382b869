package dev.mainstay.wire.request;

import dev.mainstay.wire.json.ByteSpan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a request's body: enough to route it and to judge its answer. The spans point
 * into the body that was read.
 *
 * @param naming how it names its model
 * @param streaming what it says of streams
 * @param firstField the offset right after the body's opening brace
 * @param empty whether the body is {@code {}}
 * @param expected what it asks of its answer
 * @param messages the conversation itself, or null
 * @param conversation a hash that stays the same over the turns of one conversation
 * @param objects what it has to do with objects that its provider keeps
 */
public record RequestHead(
    Naming naming,
    Streaming streaming,
    int firstField,
    boolean empty,
    Expected expected,
    @Nullable ByteSpan messages,
    long conversation,
    Objects objects) {

  /**
   * How a request names its model.
   *
   * @param model the model asked for, or null where the body names none
   * @param span the value of {@code model} with its quotes, or null
   * @param again where Gemini's body names the model that stands in the path: each value with its
   *     quotes, in order; empty elsewhere
   */
  public record Naming(@Nullable String model, @Nullable ByteSpan span, List<ByteSpan> again) {}

  /**
   * What a request says of streams.
   *
   * @param wanted whether a stream is asked for
   * @param options the value of {@code stream_options}, or null
   * @param includeUsage the value of {@code stream_options.include_usage} where it is a boolean
   * @param includeUsageSpan where that value stands, or null
   */
  public record Streaming(
      boolean wanted,
      @Nullable ByteSpan options,
      @Nullable Boolean includeUsage,
      @Nullable ByteSpan includeUsageSpan) {}

  /**
   * What a request asks of its answer.
   *
   * @param choices the most answers that any reading of the request asks for, 1 unless it says
   *     otherwise
   * @param tools whether tools are offered
   * @param formatted whether a form of the answer may be asked for, such as JSON
   * @param maxTokens the most tokens that one answer may have by any reading of the request: of the
   *     operation's own fields, of each time that one is given, rounded up; null where some reading
   *     sets no limit, as 0 and below may
   * @param unreadable the field for one of these two that is no number, so that providers may read
   *     anything in it, or null
   */
  public record Expected(
      int choices,
      boolean tools,
      boolean formatted,
      @Nullable Long maxTokens,
      @Nullable String unreadable) {}

  /**
   * What a request has to do with objects that its provider keeps for one account.
   *
   * @param named whether a field of its own names one: a response, a conversation, a cache
   * @param naming whether a field at any depth has a name under which one may be named
   * @param made whether its answer stays there, to be named later
   */
  public record Objects(boolean named, boolean naming, boolean made) {}

  /** The model asked for, or null where the body names none. */
  public @Nullable String model() {
    return naming.model;
  }

  /** The value of {@code model} with its quotes, or null. */
  public @Nullable ByteSpan modelSpan() {
    return naming.span;
  }

  /** Where Gemini's body names the model once more ({@link Naming#again}). */
  public List<ByteSpan> modelAgain() {
    return naming.again;
  }

  /** Whether a stream is asked for. */
  public boolean stream() {
    return streaming.wanted;
  }

  /** The value of {@code stream_options}, or null. */
  public @Nullable ByteSpan streamOptions() {
    return streaming.options;
  }

  /** The value of {@code stream_options.include_usage} where it is a boolean. */
  public @Nullable Boolean includeUsage() {
    return streaming.includeUsage;
  }

  /** Where the value of {@code include_usage} stands, or null. */
  public @Nullable ByteSpan includeUsageSpan() {
    return streaming.includeUsageSpan;
  }

  /** The most answers asked for ({@link Expected#choices}). */
  public int choices() {
    return expected.choices;
  }

  /** Whether tools are offered. */
  public boolean tools() {
    return expected.tools;
  }

  /** Whether a form of the answer may be asked for, such as JSON. */
  public boolean formatted() {
    return expected.formatted;
  }

  /** The most tokens that one answer may have ({@link Expected#maxTokens}), or null. */
  public @Nullable Long maxTokens() {
    return expected.maxTokens;
  }

  /** The field for a limit that is no number, or null ({@link Expected#unreadable}). */
  public @Nullable String unreadable() {
    return expected.unreadable;
  }
}
