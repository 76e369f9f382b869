package dev.mainstay.app.broken;

import dev.mainstay.app.broken.Heard.Event;
import tools.jackson.databind.JsonNode;

/** What clients of each dialect make of an event, and what they would stumble over. */
final class Reading {
  private Reading() {}

  static void of(Speaking dialect, Heard heard, Event event, JsonNode data) {
    switch (dialect) {
      case CHAT, MISTRAL -> chat(heard, data);
      case RESPONSES -> responses(heard, data);
      case ANTHROPIC -> anthropic(heard, event, data);
      case GEMINI -> gemini(heard, data);
    }
  }

  private static void chat(Heard heard, JsonNode data) {
    if (data.has("error") || data.path("object").asString("").equals("error")) {
      heard.errors.add(data.toString());
      return;
    }
    heard.id(data.path("id").asString(""));
    heard.model(data.path("model").asString(""));
    for (JsonNode choice : data.path("choices")) {
      JsonNode delta = choice.path("delta");
      JsonNode content = delta.path("content");
      heard.text.append(content.asString(""));
      for (JsonNode part : content) {
        heard.text.append(part.path("text").asString(""));
        for (JsonNode thought : part.path("thinking")) {
          heard.reasoning.append(thought.path("text").asString(""));
        }
      }
      heard.reasoning.append(delta.path("reasoning_content").asString(""));
      for (JsonNode call : delta.path("tool_calls")) {
        JsonNode function = call.path("function");
        heard.call(
            call.path("index").asInt(0),
            function.path("name").asString("") + function.path("arguments").asString(""));
      }
      if (choice.path("finish_reason").isString()) {
        heard.finishes.add(choice.path("finish_reason").asString());
      }
    }
  }

  private static void responses(Heard heard, JsonNode data) {
    String type = data.path("type").asString("");
    int number = data.path("sequence_number").asInt(-1);
    if (number != heard.numbers++) {
      heard.fault(
          "sequence number "
              + number
              + " of "
              + type
              + " where "
              + (heard.numbers - 1)
              + " was due");
    }
    switch (type) {
      case "error", "response.failed" -> heard.errors.add(data.toString());
      case "response.created", "response.in_progress" ->
          heard.id(data.at("/response/id").asString(""));
      case "response.output_text.delta" -> heard.text.append(data.path("delta").asString(""));
      case "response.reasoning_summary_text.delta" ->
          heard.reasoning.append(data.path("delta").asString(""));
      case "response.output_item.done" -> {
        JsonNode item = data.path("item");
        if (item.path("type").asString("").equals("function_call")) {
          heard.call(
              data.path("output_index").asInt(),
              item.path("name").asString("") + item.path("arguments").asString(""));
        }
      }
      case "response.output_text.done" -> {
        if (!heard.text.toString().endsWith(data.path("text").asString("?"))) {
          heard.fault("done says another text: " + data.path("text"));
        }
      }
      case "response.completed" -> {
        heard.id(data.at("/response/id").asString(""));
        heard.finishes.add(data.at("/response/status").asString(""));
        var whole = new StringBuilder();
        for (JsonNode item : data.at("/response/output")) {
          for (JsonNode part : item.path("content")) {
            whole.append(part.path("text").asString(""));
          }
        }
        if (!whole.toString().contentEquals(heard.text)) {
          heard.fault("completed says another text: " + whole);
        }
        heard.end();
      }
      default -> {}
    }
  }

  private static void anthropic(Heard heard, Event event, JsonNode data) {
    String type = data.path("type").asString("");
    if (!event.name().equals(type)) {
      heard.fault("event " + event.name() + " with " + type);
    }
    int index = data.path("index").asInt(-1);
    switch (type) {
      case "error" -> heard.errors.add(data.toString());
      case "message_start" -> {
        if (heard.numbers++ > 0) {
          heard.fault("message_start twice");
        }
      }
      case "content_block_start" -> {
        if (index != heard.blocks || heard.open) {
          heard.fault("block " + index + " starts where " + heard.blocks + " is due");
        }
        heard.open = true;
        JsonNode block = data.path("content_block");
        if (block.path("type").asString("").equals("tool_use")) {
          heard.call(index, block.path("name").asString(""));
        }
      }
      case "content_block_delta" -> {
        if (index != heard.blocks || !heard.open) {
          heard.fault("a delta of block " + index + ", which is not open");
        }
        JsonNode delta = data.path("delta");
        heard.text.append(delta.path("text").asString(""));
        heard.reasoning.append(delta.path("thinking").asString(""));
        heard.signed |= delta.has("signature");
        if (delta.has("partial_json")) {
          heard.call(index, delta.path("partial_json").asString(""));
        }
      }
      case "content_block_stop" -> {
        if (index != heard.blocks || !heard.open) {
          heard.fault("block " + index + " stops, which is not open");
        }
        heard.open = false;
        heard.blocks++;
      }
      case "message_delta" -> heard.finishes.add(data.at("/delta/stop_reason").asString(""));
      case "message_stop" -> {
        if (heard.open) {
          heard.fault("a block is open at the end");
        }
        heard.end();
      }
      default -> {}
    }
  }

  private static void gemini(Heard heard, JsonNode data) {
    if (data.has("error")) {
      heard.errors.add(data.toString());
      return;
    }
    heard.id(data.path("responseId").asString(""));
    heard.model(data.path("modelVersion").asString(""));
    for (JsonNode part : data.at("/candidates/0/content/parts")) {
      var to = part.path("thought").asBoolean(false) ? heard.reasoning : heard.text;
      to.append(part.path("text").asString(""));
      if (part.has("functionCall")) {
        JsonNode call = part.path("functionCall");
        heard.call(heard.blocks++, call.path("name").asString("") + call.path("args"));
      }
    }
    if (data.at("/candidates/0/finishReason").isString()) {
      heard.finishes.add(data.at("/candidates/0/finishReason").asString());
    }
  }
}
