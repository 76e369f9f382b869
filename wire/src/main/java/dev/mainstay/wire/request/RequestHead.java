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
 * @param choices how many answers are asked for, 1 unless it says otherwise
 * @param tools whether tools are offered
 * @param formatted whether a form of the answer may be asked for, such as JSON
 * @param maxTokens the most tokens the answer may have, or null
 * @param messages the conversation itself, or null
 * @param conversation a hash that stays the same over the turns of one conversation
 * @param bound whether it refers to something the provider keeps for one account
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
    @Nullable Span messages,
    long conversation,
    boolean bound) {}
