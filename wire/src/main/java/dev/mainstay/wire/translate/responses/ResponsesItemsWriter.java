package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.ToolIds;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Media;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes {@code instructions} and the items of {@code input}. */
final class ResponsesItemsWriter {
  private final TranslationContext context;
  private final ArrayNode input = Tree.array();

  /** The ids of custom tools' calls. */
  private final Set<String> custom = new HashSet<>();

  /** The message that the parts of one turn go into, until another item comes between. */
  private @Nullable ArrayNode open;

  ResponsesItemsWriter(TranslationContext context) {
    this.context = context;
  }

  void write(List<Turn> turns, ObjectNode body) {
    for (int i = 0; i < turns.size(); i++) {
      var turn = turns.get(i);
      if (turn.name() != null) {
        context.lose(Feature.PARTICIPANT_NAME, turn);
      }
      var instructions = i == 0 && turns.size() > 1 ? instructions(turn) : null;
      if (instructions == null) {
        open = null;
        turn.parts().forEach(part -> part(turn.role(), part));
      } else {
        body.put("instructions", instructions);
      }
    }
    input.forEach(ResponsesItemsWriter::shorten);
    body.set("input", input);
  }

  /** An answer of one text as a string: as parts, the typed form of it wants the provider's id. */
  private static void shorten(JsonNode item) {
    if (item instanceof ObjectNode message
        && message.path("role").asString("").equals("assistant")
        && message.get("content") instanceof ArrayNode content) {
      message.set("content", simple(content));
    }
  }

  /** A first system turn of one text. */
  private static @Nullable String instructions(Turn turn) {
    return turn.role() == Role.SYSTEM
            && turn.parts().size() == 1
            && turn.parts().getFirst() instanceof Part.Text text
            && text.cache() == null
        ? text.text()
        : null;
  }

  private void part(Role role, Part part) {
    boolean answer = role == Role.ASSISTANT;
    switch (part) {
      case Part.Text text -> content(role, mark(text, text(answer, text.text())));
      case Part.Refusal refusal when answer ->
          content(role, Tree.object().put("type", "refusal").put("refusal", refusal.text()));
      case Part.Refusal refusal -> content(role, text(false, refusal.text()));
      case Part.Media media -> content(role, mark(media, media(answer, media)));
      case Part.ToolCall call -> call(call);
      case Part.ToolResult result -> result(result);
      case Part.Reasoning reasoning -> reasoning(reasoning);
    }
  }

  private void content(Role role, ObjectNode part) {
    if (open == null) {
      var message = input.addObject().put("type", "message");
      message.put(
          "role",
          switch (role) {
            case SYSTEM -> "system";
            case USER -> "user";
            case ASSISTANT -> "assistant";
          });
      open = message.putArray("content");
    }
    open.add(part);
  }

  private static ObjectNode text(boolean answer, String text) {
    return Tree.object().put("type", answer ? "output_text" : "input_text").put("text", text);
  }

  private void call(Part.ToolCall call) {
    open = null;
    var id = ToolIds.fit(Dialect.OPENAI_RESPONSES, call.id());
    boolean free = call.custom() && context.takesCustomTools();
    input
        .addObject()
        .put("type", free ? "custom_tool_call" : "function_call")
        .put("call_id", id)
        .put("name", call.name())
        .put(
            free ? "input" : "arguments",
            free ? CustomTool.input(call.arguments()) : Tree.write(call.arguments()));
    if (free) {
      custom.add(id);
    }
    if (call.cache() != null) {
      context.lose(Feature.CACHE_CONTROL, call);
    }
  }

  private void result(Part.ToolResult result) {
    open = null;
    if (result.error()) {
      context.lose(Feature.TOOL_RESULT_ERROR, result);
    }
    if (result.cache() != null) {
      context.lose(Feature.CACHE_CONTROL, result);
    }
    var output = Tree.array();
    for (var part : result.content()) {
      switch (part) {
        case Part.Text text -> output.add(mark(text, text(false, text.text())));
        case Part.Media media -> output.add(mark(media, media(false, media)));
        // Results hold nothing else.
        default -> {}
      }
    }
    var id = ToolIds.fit(Dialect.OPENAI_RESPONSES, result.id());
    input
        .addObject()
        .put("type", custom.contains(id) ? "custom_tool_call_output" : "function_call_output")
        .put("call_id", id)
        .set("output", simple(output));
  }

  private static JsonNode simple(ArrayNode output) {
    if (output.isEmpty()) {
      return Body.of("");
    }
    return output.size() == 1
            && output.get(0).size() == 2
            && output.get(0).get("text") instanceof JsonNode text
        ? text
        : output;
  }

  private void reasoning(Part.Reasoning reasoning) {
    var seal = reasoning.seal();
    if (seal == null || !seal.isOf(Dialect.OPENAI_RESPONSES)) {
      context.lose(Feature.REASONING_HISTORY, reasoning);
      return;
    }
    open = null;
    var item = input.addObject().put("type", "reasoning");
    var summary = item.putArray("summary");
    if (!reasoning.text().isEmpty()) {
      summary.addObject().put("type", "summary_text").put("text", reasoning.text());
    }
    item.set("encrypted_content", seal.value());
  }

  private ObjectNode media(boolean answer, Part.Media media) {
    if (media.source() instanceof Source.Plain plain) {
      context.lose(Feature.PLAIN_DOCUMENT, media);
      return text(
          answer, media.name() == null ? plain.text() : media.name() + "\n\n" + plain.text());
    }
    return switch (media.kind()) {
      case IMAGE ->
          Tree.object()
              .put("type", "input_image")
              .put("detail", media.detail() == null ? "auto" : media.detail())
              .put(
                  "image_url",
                  Media.url(media, media.mimeType() == null ? "image/png" : media.mimeType()));
      case DOCUMENT -> file(media);
      case AUDIO -> throw context.refuse(Feature.AUDIO, context.place(media));
      case VIDEO -> throw context.refuse(Feature.VIDEO, context.place(media));
    };
  }

  private static ObjectNode file(Part.Media media) {
    var file = Tree.object().put("type", "input_file");
    if (media.source() instanceof Source.Url url) {
      if (media.name() != null) {
        file.put("filename", media.name());
      }
      return file.put("file_url", url.url());
    }
    return file.put("filename", media.name() == null ? Media.UNNAMED : media.name())
        .put(
            "file_data",
            Media.url(media, media.mimeType() == null ? "application/pdf" : media.mimeType()));
  }

  private ObjectNode mark(Part part, ObjectNode written) {
    if (part.mark() != null) {
      if (Models.gpt(context.model()) >= Models.FIRST_GPT_WITH_BREAKPOINTS) {
        written.putObject("prompt_cache_breakpoint").put("mode", "explicit");
      } else {
        context.lose(Feature.CACHE_CONTROL, part);
      }
    }
    return written;
  }
}
