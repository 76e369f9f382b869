package dev.mainstay.wire.request;

import dev.mainstay.wire.json.Span;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a request's body: enough to route it and to judge its answer. The spans point
 * into the body that was read.
 *
 * @param model the model asked for, or null where the body names none
 * @param modelSpan the value of {@code model} with its quotes, or null
 * @param modelAgain where Gemini's body names the model that stands in the path: each value with
 *     its quotes, in order; empty elsewhere
 * @param stream whether a stream is asked for
 * @param streamOptions the value of {@code stream_options}, or null
 * @param includeUsage the value of {@code stream_options.include_usage} where it is a boolean
 * @param includeUsageSpan where that value stands, or null
 * @param firstField the offset right after the body's opening brace
 * @param empty whether the body is {@code {}}
 * @param choices the most answers that any reading of the request asks for, 1 unless it says
 *     otherwise
 * @param tools whether tools are offered
 * @param formatted whether a form of the answer may be asked for, such as JSON
 * @param maxTokens the most tokens that one answer may have by any reading of the request: of the
 *     operation's own fields, of each time that one is given, rounded up; null where some reading
 *     sets no limit, as 0 and below may
 * @param unreadable the field for one of these two that is no number, so that providers may read
 *     anything in it, or null
 * @param messages the conversation itself, or null
 * @param conversation a hash that stays the same over the turns of one conversation
 * @param objects what it has to do with objects that its provider keeps
 */
public record RequestHead(
    @Nullable String model,
    @Nullable Span modelSpan,
    List<Span> modelAgain,
    boolean stream,
    @Nullable Span streamOptions,
    @Nullable Boolean includeUsage,
    @Nullable Span includeUsageSpan,
    int firstField,
    boolean empty,
    int choices,
    boolean tools,
    boolean formatted,
    @Nullable Long maxTokens,
    @Nullable String unreadable,
    @Nullable Span messages,
    long conversation,
    Objects objects) {

  /**
   * What a request has to do with objects that its provider keeps for one account.
   *
   * @param named whether a field of its own names one: a response, a conversation, a cache
   * @param made whether its answer stays there, to be named later
   */
  public record Objects(boolean named, boolean made) {}
}
