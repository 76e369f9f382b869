package dev.mainstay.wire.continuation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request for the rest of an answer, and what its {@link Aligner} must know.
 *
 * <p>It is the original request with the delivered text after its messages. What differs besides:
 *
 * <ul>
 *   <li>The limit of tokens is lowered by what the delivered text comes to (4 bytes a token, which
 *       is rather too few, so that no answer is cut that would not have been), to 1 at least (16
 *       for Responses). Tokens spent on reasoning are not taken off: the new attempt may need as
 *       many again.
 *   <li>A response format is left out. Bound to it, a model begins a new value, and Anthropic
 *       refuses it together with a prefill. The instruction says that the JSON goes on, with its
 *       schema; the {@link Aligner} sees to it that the whole is one value.
 *   <li>Anthropic's thinking is left out: a prefill is refused together with it, and the model has
 *       thought. So is {@code n}'s kin that only makes sense with it.
 *   <li>Stop sequences, tools, their choice and everything else stay.
 * </ul>
 *
 * <p>With {@link Mode#RESTART} the body is the original one.
 *
 * @param trimmed whether white space at the delivered text's end was left out
 * @param echoed whether the target is known to say a prefill again before it goes on
 * @param json whether the answer must be one JSON value
 */
@SuppressWarnings("ArrayRecordComponent") // made and used up at once
public record ContinuationRequest(
    byte[] body,
    Mode mode,
    boolean trimmed,
    boolean echoed,
    boolean json,
    List<String> stopSequences) {

  private static final int BYTES_PER_TOKEN = 4;

  /** The least that Responses takes: platform.openai.com/docs/api-reference/responses/create. */
  private static final int LEAST_RESPONSES_TOKENS = 16;

  /**
   * The request for the rest of what {@code body} asked for.
   *
   * @param body the client's request, in the dialect of the target: where it crosses dialects it is
   *     translated first
   * @param prefill how the target takes up a begun answer; must not be {@link Prefill#NONE} for
   *     {@link Mode#PREFILL}
   * @throws IllegalArgumentException if the body is not a JSON object
   */
  public static ContinuationRequest of(
      byte[] body, Dialect dialect, Delivered delivered, Mode mode, Prefill prefill) {
    ObjectNode tree = RequestShape.tree(body);
    var asked = RequestShape.of(tree, dialect);
    boolean json = asked.json();
    if (mode == Mode.RESTART) {
      return new ContinuationRequest(body, mode, false, false, json, asked.stopSequences());
    }
    if (delivered.text().isBlank()) {
      throw new IllegalArgumentException("there is no text to go on from");
    }
    if (mode == Mode.PREFILL && prefill == Prefill.NONE) {
      throw new IllegalArgumentException("the target takes no prefill");
    }
    String text = delivered.text();
    boolean trim = mode == Mode.PREFILL || dialect == Dialect.ANTHROPIC;
    String said = trim ? text.stripTrailing() : text;
    String instruction =
        mode == Mode.INSTRUCTION
            ? ContinuationInstruction.of(text.stripTrailing(), json, asked.schema())
            : null;
    lessTokens(tree, dialect, delivered.textBytes() / BYTES_PER_TOKEN);
    switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> chat(tree, said, instruction, prefill);
      case OPENAI_RESPONSES -> responses(tree, said, instruction);
      case ANTHROPIC -> anthropic(tree, said, delivered.own(), instruction);
      case GEMINI -> gemini(tree, said, delivered.own(), instruction);
    }
    return new ContinuationRequest(
        Tree.write(tree).getBytes(StandardCharsets.UTF_8),
        mode,
        trim && said.length() < text.length(),
        mode == Mode.PREFILL && dialect == Dialect.MISTRAL,
        json,
        asked.stopSequences());
  }

  private static void chat(
      ObjectNode tree, String said, @Nullable String instruction, Prefill prefill) {
    tree.remove("response_format");
    var messages = tree.withArray("messages");
    var last = begun(messages, "assistant");
    if (last == null) {
      last = messages.addObject().put("role", "assistant").put("content", said);
    } else {
      goOn(last, "content", said, last.path("prefix").asBoolean(false));
    }
    last.remove("prefix");
    if (instruction != null) {
      messages.addObject().put("role", "user").put("content", instruction);
      return;
    }
    switch (prefill) {
      case PREFIX_FLAG -> last.put("prefix", true);
      case PARTIAL_FLAG -> last.put("partial", true);
      case CONTINUE_FLAG ->
          tree.put("continue_final_message", true).put("add_generation_prompt", false);
      case LAST_MESSAGE, NONE -> {}
    }
  }

  private static void responses(ObjectNode tree, String said, @Nullable String instruction) {
    if (tree.get("text") instanceof ObjectNode text) {
      text.remove("format");
    }
    if (!(tree.get("input") instanceof ArrayNode)) {
      String input = tree.path("input").asString("");
      var items = tree.putArray("input");
      if (!input.isEmpty()) {
        items.addObject().put("role", "user").put("content", input);
      }
    }
    var items = tree.withArray("input");
    items.addObject().put("role", "assistant").put("content", said);
    if (instruction != null) {
      items.addObject().put("role", "user").put("content", instruction);
    }
  }

  private static void anthropic(
      ObjectNode tree, String said, List<Delivered.Own> own, @Nullable String instruction) {
    tree.remove("thinking");
    tree.remove("output_format");
    if (tree.get("output_config") instanceof ObjectNode config) {
      config.remove("format");
      if (config.isEmpty()) {
        tree.remove("output_config");
      }
    }
    withoutThinkingEdits(tree);
    var messages = tree.withArray("messages");
    var last = begun(messages, "assistant");
    if (!own.isEmpty()) {
      last = last == null ? messages.addObject().put("role", "assistant") : last;
      var before = last.path("content").asString("");
      var content = last.get("content") instanceof ArrayNode blocks ? blocks : Tree.array();
      if (!before.isEmpty()) {
        content.addObject().put("type", "text").put("text", before);
      }
      parts(said, own, content, true);
      last.set("content", content);
    } else if (last == null) {
      messages.addObject().put("role", "assistant").put("content", said);
    } else {
      goOn(last, "content", said, false);
    }
    if (instruction != null) {
      messages.addObject().put("role", "user").put("content", instruction);
    }
  }

  /** What was said, and between it what the provider's own tools did, as it was delivered. */
  private static void parts(String said, List<Delivered.Own> own, ArrayNode to, boolean typed) {
    int from = 0;
    for (var part : own) {
      int until = Math.min(part.at(), said.length());
      textPart(said.substring(from, until), to, typed);
      to.add(part.value());
      from = until;
    }
    textPart(said.substring(from), to, typed);
  }

  private static void textPart(String text, ArrayNode to, boolean typed) {
    // Anthropic refuses text that is nothing but white space.
    if (!text.isBlank()) {
      var part = to.addObject();
      if (typed) {
        part.put("type", "text");
      }
      part.put("text", text);
    }
  }

  /** Clearing old thinking is refused where thinking is off. */
  private static void withoutThinkingEdits(ObjectNode tree) {
    if (!(tree.path("context_management").get("edits") instanceof ArrayNode edits)) {
      return;
    }
    for (int i = edits.size() - 1; i >= 0; i--) {
      if (edits.get(i).path("type").asString("").startsWith("clear_thinking")) {
        edits.remove(i);
      }
    }
    if (edits.isEmpty()) {
      tree.remove("context_management");
    }
  }

  private static void gemini(
      ObjectNode tree, String said, List<Delivered.Own> own, @Nullable String instruction) {
    for (String name : List.of("generationConfig", "generation_config")) {
      if (tree.get(name) instanceof ObjectNode config) {
        config.remove(
            List.of(
                "responseMimeType",
                "response_mime_type",
                "responseSchema",
                "response_schema",
                "responseJsonSchema",
                "response_json_schema"));
      }
    }
    if (tree.get("contents") instanceof ObjectNode only) {
      tree.putArray("contents").add(only);
    }
    var contents = tree.withArray("contents");
    var last = begun(contents, "model");
    if (last == null) {
      last = contents.addObject().put("role", "model");
    }
    parts(said, own, last.withArray("parts"), false);
    if (instruction != null) {
      contents
          .addObject()
          .put("role", "user")
          .putArray("parts")
          .addObject()
          .put("text", instruction);
    }
  }

  /** The answer that the client itself had begun, or null. */
  private static @Nullable ObjectNode begun(ArrayNode messages, String role) {
    if (messages.isEmpty() || !(messages.get(messages.size() - 1) instanceof ObjectNode last)) {
      return null;
    }
    return last.path("role").asString("").equals(role) && !last.has("tool_calls") ? last : null;
  }

  /** Puts {@code said} behind what the client had begun; an echo of that is not said twice. */
  private static void goOn(ObjectNode message, String field, String said, boolean echoes) {
    JsonNode content = message.path(field);
    if (content instanceof ArrayNode blocks) {
      blocks.addObject().put("type", "text").put("text", said);
      return;
    }
    String before = content.asString("");
    message.put(field, echoes && said.startsWith(before) ? said : before + said);
  }

  private static void lessTokens(ObjectNode tree, Dialect dialect, int spent) {
    switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> {
        lower(tree, "max_tokens", spent, 1);
        lower(tree, "max_completion_tokens", spent, 1);
      }
      case OPENAI_RESPONSES -> lower(tree, "max_output_tokens", spent, LEAST_RESPONSES_TOKENS);
      case ANTHROPIC -> lower(tree, "max_tokens", spent, 1);
      case GEMINI -> {
        for (String name : List.of("generationConfig", "generation_config")) {
          if (tree.get(name) instanceof ObjectNode config) {
            lower(config, "maxOutputTokens", spent, 1);
            lower(config, "max_output_tokens", spent, 1);
          }
        }
      }
    }
  }

  private static void lower(ObjectNode tree, String field, int spent, int least) {
    JsonNode limit = tree.path(field);
    if (limit.isIntegralNumber()) {
      tree.put(field, Math.max(least, limit.asLong() - spent));
    }
  }
}
