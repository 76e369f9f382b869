package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Delta;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether an answer that must be JSON is. Only text that the model ended of its own accord is
 * judged: not one that was cut at a limit or filtered, no refusal, and none with tool calls.
 */
public final class JsonAnswer {
  private JsonAnswer() {}

  /**
   * What is wrong with {@code text}, in a sentence for the model, where {@code format} asks for
   * JSON.
   */
  public static Optional<String> mistake(AnswerFormat format, String text) {
    return switch (format) {
      case AnswerFormat.Free() -> Optional.empty();
      case AnswerFormat.Json json -> Optional.ofNullable(mistake(json, text));
    };
  }

  private static @Nullable String mistake(AnswerFormat.Json format, String text) {
    var mistake = Trees.mistake(text);
    if (mistake != null) {
      return "The answer must be JSON and is not: " + mistake + ".";
    }
    var schema = format.schema();
    var value = schema == null || !format.strict() ? null : Trees.read(text);
    var misfit = schema == null || value == null ? null : SchemaFit.misfit(schema, value);
    return misfit == null
        ? null
        : "The answer does not fit the schema that was asked for: " + misfit + ".";
  }

  /** The same for a whole turn, all of whose deltas have come. */
  public static Optional<String> mistake(AnswerFormat format, List<Delta> turn) {
    if (format instanceof AnswerFormat.Free) {
      return Optional.empty();
    }
    var texts = new TreeMap<Integer, StringBuilder>();
    Set<Integer> exempt = new HashSet<>();
    for (var delta : turn) {
      switch (delta) {
        case Delta.Text more ->
            texts.computeIfAbsent(more.choice(), k -> new StringBuilder()).append(more.text());
        case Delta.Refusal refusal -> exempt.add(refusal.choice());
        case Delta.ToolCall call -> exempt.add(call.choice());
        case Delta.Finished finished -> {
          if (finished.ending() != Delta.Ending.STOP) {
            exempt.add(finished.choice());
          }
        }
        default -> {}
      }
    }
    for (var text : texts.entrySet()) {
      if (!exempt.contains(text.getKey())) {
        var mistake = mistake(format, text.getValue().toString());
        if (mistake.isPresent()) {
          return mistake;
        }
      }
    }
    return Optional.empty();
  }

  /** The same for a whole answer of {@code dialect}. */
  public static Optional<String> mistake(AnswerFormat format, Dialect dialect, byte[] body) {
    if (format instanceof AnswerFormat.Free) {
      return Optional.empty();
    }
    var answer = LocatedValue.object(body);
    if (answer == null) {
      return Optional.empty();
    }
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> chat(format, answer);
      case OPENAI_RESPONSES -> responses(format, answer);
      case ANTHROPIC ->
          answer.text("stop_reason").equals("end_turn")
              ? blocks(format, answer.list("content"))
              : Optional.empty();
      case GEMINI -> gemini(format, answer);
    };
  }

  private static Optional<String> chat(AnswerFormat format, LocatedValue answer) {
    for (var choice : answer.list("choices")) {
      var message = choice.get("message");
      if (message != null
          && choice.text("finish_reason").equals("stop")
          && message.get("refusal") == null
          && message.list("tool_calls").isEmpty()) {
        var content = message.get("content");
        var mistake =
            content == null
                ? Optional.<String>empty()
                : content.isArray()
                    ? blocks(format, content.items())
                    : mistake(format, content.text());
        if (mistake.isPresent()) {
          return mistake;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> responses(AnswerFormat format, LocatedValue answer) {
    if (!answer.text("status").equals("completed")) {
      return Optional.empty();
    }
    var last = Optional.<String>empty();
    for (var item : answer.list("output")) {
      switch (item.text("type")) {
        case "function_call", "custom_tool_call" -> {
          return Optional.empty();
        }
        // Of several messages the last is the answer; the others comment on the work.
        case "message" -> last = blocks(format, item.list("content"));
        default -> {}
      }
    }
    return last;
  }

  private static Optional<String> gemini(AnswerFormat format, LocatedValue answer) {
    for (var candidate : answer.list("candidates")) {
      var content = candidate.get("content");
      if (content != null && candidate.text("finishReason").equals("STOP")) {
        var mistake = blocks(format, content.list("parts"));
        if (mistake.isPresent()) {
          return mistake;
        }
      }
    }
    return Optional.empty();
  }

  /** Blocks of Anthropic, Mistral and Responses, and parts of Gemini. */
  private static Optional<String> blocks(AnswerFormat format, List<LocatedValue> blocks) {
    var text = new StringBuilder();
    boolean any = false;
    for (var block : blocks) {
      var type = block.text("type");
      if (type.equals("tool_use")
          || type.equals("refusal")
          || block.get("functionCall", "function_call") != null) {
        return Optional.empty();
      }
      var thought = block.get("thought");
      boolean isText = type.isEmpty() || type.equals("text") || type.equals("output_text");
      var said = block.get("text");
      if (isText && said != null && (thought == null || !thought.json().equals("true"))) {
        text.append(said.text());
        any = true;
      }
    }
    return any ? mistake(format, text.toString()) : Optional.empty();
  }
}
