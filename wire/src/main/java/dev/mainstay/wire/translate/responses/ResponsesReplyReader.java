package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.openai.OpenAiUsage;
import dev.mainstay.wire.translate.CustomInput;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import dev.mainstay.wire.translate.DeltaReader;
import dev.mainstay.wire.translate.MalformedReplyException;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Reads OpenAI Responses. What an item says is taken from its deltas, and what these left out from
 * the item once it is done, or from the whole answer at the end where no item was told before.
 */
public final class ResponsesReplyReader extends DeltaReader {
  private final Map<Integer, Item> items = new TreeMap<>();
  private boolean started;
  private int calls;

  /** What was told of an item. */
  private static final class Item {
    boolean text;
    boolean reasoning;
    boolean arguments;
    int annotations;
    int call = -1;
  }

  @Override
  protected void event(String name, JsonNode data) {
    var said = Tree.text(data, "type");
    var type = said.isEmpty() ? name : said;
    switch (type) {
      case "response.created", "response.in_progress", "response.queued" ->
          start(data.path("response"));
      case "response.output_item.added" -> added(item(data), data.path("item"));
      case "response.output_item.done" -> done(item(data), data.path("item"));
      case "response.output_text.delta" -> {
        item(data).text = true;
        sayText(0, Tree.text(data, "delta"));
        if (!data.path("logprobs").isEmpty()) {
          say(new Delta.Logprobs(0, data.get("logprobs")));
        }
      }
      case "response.refusal.delta" -> {
        item(data).text = true;
        sayRefusal(0, Tree.text(data, "delta"));
      }
      case "response.output_text.annotation.added" -> {
        item(data).annotations++;
        cite(data.path("annotation"));
      }
      case "response.reasoning_summary_part.added" -> {
        // Parts are paragraphs.
        if (data.path("summary_index").asInt(0) > 0) {
          sayReasoning(0, "\n\n");
        }
      }
      case "response.reasoning_summary_text.delta", "response.reasoning_text.delta" -> {
        item(data).reasoning = true;
        sayReasoning(0, Tree.text(data, "delta"));
      }
      case "response.function_call_arguments.delta" -> {
        var item = item(data);
        item.arguments = true;
        sayArguments(0, item.call, Tree.text(data, "delta"));
      }
      case "response.custom_tool_call_input.delta" -> {
        var item = item(data);
        var more = Tree.text(data, "delta");
        sayArguments(
            0, item.call, item.arguments ? CustomInput.more(more) : CustomInput.begin(more));
        item.arguments = true;
      }
      case "response.completed", "response.incomplete" -> {
        start(data.path("response"));
        end(data.path("response"), items.isEmpty());
      }
      default -> {}
    }
  }

  @Override
  protected void answer(JsonNode body) {
    if (!body.path("output").isArray()) {
      throw new MalformedReplyException("the answer has no output");
    }
    start(body);
    end(body, true);
  }

  private void start(JsonNode response) {
    if (!started) {
      started = true;
      say(
          new Delta.Start(
              response.path("id").stringValue(null), response.path("model").stringValue(null)));
    }
  }

  private void end(JsonNode response, boolean withOutput) {
    if (withOutput) {
      int index = 0;
      for (var output : response.path("output")) {
        var item = items.computeIfAbsent(index++, i -> new Item());
        added(item, output);
        done(item, output);
      }
    }
    var reason = Tree.text(response.path("incomplete_details"), "reason");
    var status = Tree.text(response, "status");
    var word = reason.isEmpty() ? (status.isEmpty() ? "completed" : status) : reason;
    say(new Delta.Finished(0, ending(word), word, null));
    if (response.path("usage").isObject()) {
      say(new Delta.Used(OpenAiUsage.read(Tree.walk(response.get("usage")))));
    }
    say(new Delta.End());
  }

  private Ending ending(String word) {
    return switch (word) {
      case "completed" -> calls > 0 ? Ending.TOOL_CALLS : Ending.STOP;
      case "max_output_tokens", "max_tokens" -> Ending.LENGTH;
      case "content_filter" -> Ending.CONTENT_FILTER;
      default -> Ending.OTHER;
    };
  }

  private Item item(JsonNode data) {
    return items.computeIfAbsent(data.path("output_index").asInt(0), i -> new Item());
  }

  private void added(Item item, JsonNode output) {
    var type = Tree.text(output, "type");
    boolean custom = type.equals("custom_tool_call");
    if (custom || type.equals("function_call")) {
      item.call = calls++;
      var id = output.path("call_id").stringValue(null);
      say(new Delta.ToolCall(0, item.call, id, Tree.text(output, "name"), callSeal(), custom));
    }
  }

  private void done(Item item, JsonNode output) {
    switch (Tree.text(output, "type")) {
      case "message" -> output.path("content").forEach(part -> part(item, part));
      case "function_call" -> {
        if (!item.arguments) {
          var arguments = output.path("arguments");
          sayArguments(
              0,
              item.call,
              arguments.isObject() ? Tree.write(arguments) : arguments.stringValue(""));
        }
      }
      case "custom_tool_call" -> {
        var rest = item.arguments ? "" : CustomInput.begin(Tree.text(output, "input"));
        sayArguments(0, item.call, rest + CustomInput.END);
      }
      case "reasoning" -> reasoning(item, output);
      case "image_generation_call" -> {
        var format = Tree.text(output, "output_format");
        var data = Tree.text(output, "result");
        if (!data.isEmpty()) {
          say(new Delta.Media(0, "image/" + (format.isEmpty() ? "png" : format), data));
        }
      }
      default -> say(new Delta.Native(0, Dialect.OPENAI_RESPONSES, output));
    }
  }

  private void part(Item item, JsonNode part) {
    if (!item.text) {
      sayText(0, Tree.text(part, "text"));
      sayRefusal(0, Tree.text(part, "refusal"));
      if (!part.path("logprobs").isEmpty()) {
        say(new Delta.Logprobs(0, part.get("logprobs")));
      }
    }
    for (var annotation : part.path("annotations")) {
      if (item.annotations > 0) {
        item.annotations--;
      } else {
        cite(annotation);
      }
    }
  }

  private void cite(JsonNode annotation) {
    say(new Delta.Citation(0, Dialect.OPENAI_RESPONSES, annotation));
  }

  private void reasoning(Item item, JsonNode output) {
    if (!item.reasoning) {
      var gap = "";
      for (var list : new JsonNode[] {output.path("summary"), output.path("content")}) {
        for (var part : list) {
          sayReasoning(0, gap + Tree.text(part, "text"));
          gap = "\n\n";
        }
      }
    }
    var sealed = output.path("encrypted_content");
    if (!sealed.isString() || sealed.stringValue().isEmpty()) {
      return;
    }
    saySeal(sealed.stringValue(), Dialect.OPENAI_RESPONSES, sealed);
  }
}
