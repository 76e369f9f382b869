package dev.mainstay.wire.continuation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What of a request matters to going on with its answer.
 *
 * @param choices how many answers are asked for
 * @param media whether an answer may be an image or a sound
 * @param json whether the answer must be JSON
 * @param schema what the JSON must fit, or null
 * @param kept what the provider would keep the seam in, in words, or null
 * @param maxTokens the most tokens the answer may have, or null
 */
record RequestShape(
    int choices,
    boolean logprobs,
    boolean media,
    boolean json,
    @Nullable JsonNode schema,
    @Nullable String kept,
    @Nullable Long maxTokens,
    List<String> stopSequences) {

  RequestShape {
    stopSequences = List.copyOf(stopSequences);
  }

  /**
   * The request's tree.
   *
   * @throws IllegalArgumentException if it is no JSON object
   */
  static ObjectNode tree(byte[] body) {
    try {
      if (Tree.read(body, 0, body.length) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      // Said below, without the body's words.
    }
    throw new IllegalArgumentException("the body is not a JSON object");
  }

  static RequestShape of(JsonNode body, Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> chat(body);
      case OPENAI_RESPONSES -> responses(body);
      case ANTHROPIC -> anthropic(body);
      case GEMINI -> gemini(body);
    };
  }

  private static RequestShape chat(JsonNode body) {
    JsonNode format = body.path("response_format");
    boolean audio = false;
    for (JsonNode modality : body.path("modalities")) {
      audio |= !modality.asString("").equals("text");
    }
    return new RequestShape(
        Math.max(1, body.path("n").asInt(1)),
        body.path("logprobs").asBoolean(false) || body.path("top_logprobs").asInt(0) > 0,
        audio,
        json(format),
        schema(format.path("json_schema").path("schema")),
        null,
        firstNumber(body.path("max_completion_tokens"), body.path("max_tokens")),
        strings(body.path("stop")));
  }

  private static RequestShape responses(JsonNode body) {
    boolean logprobs = body.path("top_logprobs").asInt(0) > 0;
    for (JsonNode include : body.path("include")) {
      logprobs |= include.asString("").equals("message.output_text.logprobs");
    }
    JsonNode format = body.path("text").path("format");
    String kept = null;
    if (says(body.path("conversation"))) {
      kept = "the provider keeps this conversation and would keep the seam in it";
    } else if (body.path("background").asBoolean(false)) {
      kept = "it runs in the background at the provider";
    }
    return new RequestShape(
        1,
        logprobs,
        false,
        json(format),
        schema(format.path("schema")),
        kept,
        firstNumber(body.path("max_output_tokens")),
        List.of());
  }

  private static RequestShape anthropic(JsonNode body) {
    JsonNode format = body.path("output_config").path("format");
    if (format.isMissingNode()) {
      format = body.path("output_format");
    }
    return new RequestShape(
        1,
        false,
        false,
        json(format),
        schema(format.path("schema")),
        null,
        firstNumber(body.path("max_tokens")),
        strings(body.path("stop_sequences")));
  }

  private static RequestShape gemini(JsonNode body) {
    JsonNode config = either(body, "generationConfig", "generation_config");
    boolean media = false;
    for (JsonNode modality : either(config, "responseModalities", "response_modalities")) {
      media |= !modality.asString("").equalsIgnoreCase("text");
    }
    String mime = either(config, "responseMimeType", "response_mime_type").asString("");
    JsonNode schema = either(config, "responseJsonSchema", "response_json_schema");
    return new RequestShape(
        Math.max(1, either(config, "candidateCount", "candidate_count").asInt(1)),
        either(config, "responseLogprobs", "response_logprobs").asBoolean(false),
        media,
        mime.equals("application/json"),
        schema(
            schema.isMissingNode() ? either(config, "responseSchema", "response_schema") : schema),
        null,
        firstNumber(either(config, "maxOutputTokens", "max_output_tokens")),
        strings(either(config, "stopSequences", "stop_sequences")));
  }

  /** Gemini takes every name in both spellings. */
  static JsonNode either(JsonNode node, String one, String other) {
    JsonNode value = node.path(one);
    return value.isMissingNode() ? node.path(other) : value;
  }

  private static boolean json(JsonNode format) {
    String type = format.path("type").asString("");
    return type.equals("json_schema") || type.equals("json_object");
  }

  private static @Nullable JsonNode schema(JsonNode node) {
    return node.isObject() ? node : null;
  }

  private static boolean says(JsonNode node) {
    return !node.isMissingNode() && !node.isNull();
  }

  private static @Nullable Long firstNumber(JsonNode... nodes) {
    for (JsonNode node : nodes) {
      if (node.isIntegralNumber() && node.canConvertToLong()) {
        return node.asLong();
      }
    }
    return null;
  }

  private static List<String> strings(JsonNode node) {
    if (node.isString()) {
      return node.asString().isEmpty() ? List.of() : List.of(node.asString());
    }
    var strings = new ArrayList<String>();
    for (JsonNode each : node) {
      if (each.isString() && !each.asString().isEmpty()) {
        strings.add(each.asString());
      }
    }
    return strings;
  }
}
