package dev.mainstay.simulator;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model says when nothing goes wrong.
 *
 * @param text null: none. {@code ${last}} stands for the last user message, {@code ${model}} for
 *     the model
 * @param reasoning said before it; null: none
 * @param toolCalls asked for after it
 * @param finish null: {@code stop}, or {@code tool_calls} where there are any. Else one of stop,
 *     length, tool_calls, content_filter, which each dialect writes its own way
 * @param refusal a refusal instead of text; null: none
 */
public record Answer(
    @Nullable String text,
    @Nullable String reasoning,
    List<ToolCall> toolCalls,
    @Nullable String finish,
    @Nullable String refusal) {

  /**
   * The usual one. It has characters of two, three and four bytes, so that it can be cut inside
   * one.
   */
  public static final Answer USUAL =
      ofText(
          "Everything went well: the naïve café in Kraków serves 12 crêpes for 30 € each day 🙂.");

  /** Copies the calls. */
  public Answer {
    toolCalls = List.copyOf(toolCalls);
  }

  /** Text alone. */
  public static Answer ofText(String text) {
    return new Answer(text, null, List.of(), null, null);
  }

  /** Tool calls alone. */
  public static Answer ofCalls(ToolCall... calls) {
    return new Answer(null, null, List.of(calls), null, null);
  }

  /** Why the model stopped, as OpenAI Chat says it. */
  String finished() {
    if (finish != null) return finish;
    return toolCalls.isEmpty() ? "stop" : "tool_calls";
  }

  /** What it says to the reader: its text, or its refusal where it has none. */
  @Nullable String said() {
    return text != null ? text : refusal;
  }

  /** What it counts as: a token a word, and a few for a call. */
  int outputTokens() {
    int tokens = words(text) + words(reasoning) + words(refusal);
    for (var call : toolCalls) tokens += 2 + call.arguments().length() / 4;
    return Math.max(1, tokens);
  }

  /** The same, cut after so many tokens, of which reasoning comes first; 0 or less: no limit. */
  Answer within(int tokens) {
    if (tokens <= 0 || outputTokens() <= tokens) return this;
    var left = new Left(tokens);
    String thought = left.of(reasoning);
    String spoken = left.of(text);
    String refused = left.of(refusal);
    var calls = new ArrayList<ToolCall>();
    for (var call : toolCalls) {
      left.tokens -= 2;
      if (left.tokens < 0) break;
      int most = Math.min(call.arguments().length(), left.tokens * 4);
      calls.add(new ToolCall(call.name(), call.arguments().substring(0, most)));
      left.tokens -= call.arguments().length() / 4;
    }
    return new Answer(spoken, thought, calls, "length", refused);
  }

  /** Tokens that may still be said. */
  private static final class Left {
    int tokens;

    Left(int tokens) {
      this.tokens = tokens;
    }

    /** The beginning of {@code said}; null where nothing of it is left. */
    @Nullable String of(@Nullable String said) {
      if (said == null || tokens <= 0) return null;
      var words = Reply.words(said);
      int most = Math.min(tokens, words.size());
      tokens -= words.size();
      return String.join("", words.subList(0, most));
    }
  }

  int reasoningTokens() {
    return words(reasoning);
  }

  private static int words(@Nullable String text) {
    return text == null ? 0 : Reply.words(text).size();
  }

  /** A call's arguments as they come in a stream: in three pieces. */
  static List<String> pieces(String arguments) {
    var pieces = new ArrayList<String>();
    int size = Math.max(1, (arguments.length() + 2) / 3);
    for (int i = 0; i < arguments.length(); i += size) {
      pieces.add(arguments.substring(i, Math.min(arguments.length(), i + size)));
    }
    return pieces;
  }

  /**
   * A call of a tool.
   *
   * @param name as the model writes it, offered or not; {@code ${tool}} stands for the first one
   *     offered
   * @param arguments as the model writes them, JSON or not
   */
  public record ToolCall(String name, String arguments) {}
}
