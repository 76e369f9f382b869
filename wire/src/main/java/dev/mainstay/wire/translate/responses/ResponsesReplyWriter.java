package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.BlockWriter;
import dev.mainstay.wire.translate.CitedLink;
import dev.mainstay.wire.translate.CustomInput;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.ToolIds;
import dev.mainstay.wire.translate.WriterOptions;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes OpenAI Responses. The whole answer is what the last event of the stream holds, so both are
 * made alike.
 */
public final class ResponsesReplyWriter extends BlockWriter {
  /** The most of the answer's id that an item's id takes; OpenAI's ids are at most 64 long. */
  private static final int ID_LENGTH = 48;

  private final ResponsesOutput items = new ResponsesOutput();
  private @Nullable ObjectNode response;
  private boolean announced;
  private int cited;

  /** What reads the open call's input, where it is a custom one. */
  private CustomInput input = new CustomInput();

  public ResponsesReplyWriter(WriterOptions options) {
    super(options);
  }

  @Override
  protected void content(Delta delta, ByteArrayOutputStream to) {
    switch (delta) {
      case Delta.Text more -> words(PartKind.OUTPUT_TEXT, more.text(), to);
      case Delta.Refusal more -> words(PartKind.REFUSAL, more.text(), to);
      case Delta.Reasoning more -> reasoning(more.text(), to);
      case Delta.ReasoningSeal seal -> {
        if (!items.is("reasoning") || items.sealed()) {
          items.open(item("reasoning", "rs_"), to);
        }
        boolean own = seal.of() == Dialect.OPENAI_RESPONSES && seal.value().isString();
        items.seal(own ? seal.value().stringValue() : Seals.carry(seal, false));
      }
      case Delta.ToolCall begins -> call(begins, to);
      case Delta.Arguments more -> {
        if (items.is("function_call") && more.call() == call) {
          items.callGoesOn(more.json(), to);
        } else if (items.is("custom_tool_call") && more.call() == call) {
          items.callGoesOn(input.feed(more.json()), to);
        } else {
          drop(AnswerFeature.INVALID_ARGUMENTS);
        }
      }
      case Delta.Citation citation -> cite(citation, to);
      case Delta.Logprobs logprobs -> {
        if (items.isText()) {
          items.logprobs(logprobs.value(), to);
        } else {
          drop(AnswerFeature.LOGPROBS);
        }
      }
      case Delta.Media media -> media(media, to);
      case Delta.Native own -> {
        if (own.of() == Dialect.OPENAI_RESPONSES) {
          items.whole(own.value(), to);
        } else {
          drop(AnswerFeature.PROVIDER_TOOLS);
        }
      }
      case Delta.Finished ends -> {
        finished = ends;
        items.close(ResponsesAnswer.reason(ends) == null ? "completed" : "incomplete", to);
        if (ends.stopSequence() != null) {
          drop(AnswerFeature.STOP_SEQUENCE);
        }
      }
      case Delta.Start s -> {}
      case Delta.Used u -> {}
      case Delta.End e -> {}
    }
  }

  @Override
  protected void begin(ByteArrayOutputStream to) {
    if (response == null) {
      response = ResponsesAnswer.begin(id, modelName(), options.created());
      announce("response.created", to);
    }
    if (!announced) {
      announced = true;
      announce("response.in_progress", to);
    }
  }

  private void announce(String type, ByteArrayOutputStream to) {
    if (response != null) {
      items.send(type, "\"response\":" + Tree.write(response), to);
    }
  }

  private ObjectNode item(String type, String prefix) {
    var name = id.replaceAll("[^A-Za-z0-9_-]", "");
    var itemId =
        prefix
            + name.substring(0, Math.min(ID_LENGTH, name.length()))
            + '_'
            + (items.output().size() + (items.none() ? 0 : 1));
    var json = Tree.object().put("id", itemId).put("type", type);
    switch (type) {
      case "message" -> {
        json.put("status", "in_progress").putArray("content");
        json.put("role", "assistant");
      }
      case "reasoning" -> json.putArray("summary");
      default -> json.put("status", "in_progress");
    }
    return json;
  }

  private void words(PartKind kind, String text, ByteArrayOutputStream to) {
    if (text.isEmpty()) {
      return;
    }
    if (!items.is("message")) {
      items.open(item("message", "msg_"), to);
      cited = 0;
    }
    items.words(kind, text, to);
  }

  private void reasoning(String text, ByteArrayOutputStream to) {
    if (text.isEmpty()) {
      return;
    }
    if (!items.is("reasoning") || items.sealed()) {
      items.open(item("reasoning", "rs_"), to);
    }
    items.words(items.reasoningKind(), text, to);
  }

  private void call(Delta.ToolCall begins, ByteArrayOutputStream to) {
    var seal = begins.seal();
    if (seal != null) {
      items.open(item("reasoning", "rs_"), to);
      items.seal(Seals.carry(seal, true));
    }
    var id = begins.id();
    boolean custom = isCustom(begins);
    var json =
        custom
            ? item("custom_tool_call", "ctc_").put("input", "")
            : item("function_call", "fc_").put("arguments", "");
    input = new CustomInput();
    json.put(
        "call_id",
        id == null || id.isEmpty()
            ? ToolIds.invent(Dialect.OPENAI_RESPONSES, this.id, 0, calls)
            : ToolIds.fit(Dialect.OPENAI_RESPONSES, id));
    items.open(json.put("name", begins.name()), to);
    call = begins.call();
    calls++;
  }

  private void cite(Delta.Citation citation, ByteArrayOutputStream to) {
    if (!items.isText()) {
      drop(AnswerFeature.CITATIONS);
    } else if (citation.of() == Dialect.OPENAI_RESPONSES) {
      items.annotate(citation.value(), to);
      cited = items.length();
    } else {
      var link = CitedLink.of(citation);
      if (link == null) {
        drop(AnswerFeature.CITATIONS);
      } else {
        var json = Tree.object().put("type", "url_citation");
        items.annotate(json.setAll(link.annotation(cited, items.length())), to);
        cited = items.length();
      }
    }
  }

  private void media(Delta.Media media, ByteArrayOutputStream to) {
    if (!media.mimeType().startsWith("image/")) {
      drop(AnswerFeature.IMAGES);
      return;
    }
    var json = item("image_generation_call", "ig_").put("status", "completed");
    json.put("output_format", media.mimeType().substring("image/".length()));
    items.whole(json.put("result", media.base64()), to);
  }

  @Override
  protected void end(ByteArrayOutputStream to) {
    begin(to);
    items.close("completed", to);
    done = true;
    var whole = response;
    if (whole != null) {
      ResponsesAnswer.end(whole, items.output(), finished, usage);
      announce("response." + Tree.text(whole, "status"), to);
    }
  }

  @Override
  public byte[] whole(List<Delta> deltas) {
    var events = new ByteArrayOutputStream();
    deltas.forEach(
        delta -> {
          write(delta, events);
          events.reset();
        });
    if (!done) {
      end(events);
    }
    return response == null ? new byte[0] : Tree.write(response).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void resume(byte[] delivered) {
    each(delivered, this::delivered);
  }

  private void delivered(SseEvent event) {
    var data = Tree.read(event.data(), event.dataStart(), event.dataLength());
    var type = Tree.text(data, "type");
    switch (type) {
      case "response.created", "response.queued", "response.in_progress" -> {
        if (data.path("response") instanceof ObjectNode begun) {
          response = begun.deepCopy();
          known(Tree.text(begun, "id"), Tree.text(begun, "model"));
        }
        announced |= type.equals("response.in_progress");
      }
      case "response.completed", "response.incomplete", "response.failed" -> done = true;
      default -> announced = true;
    }
    items.delivered(type, data);
    if (items.is("function_call") || items.is("custom_tool_call")) {
      switch (type) {
        case "response.output_item.added" -> {
          call = calls++;
          input = new CustomInput();
          inOrder.resume(0, call, "");
        }
        case "response.custom_tool_call_input.delta" -> input = CustomInput.within();
        case "response.function_call_arguments.delta" ->
            inOrder.resume(0, call, Tree.text(data, "delta"));
        case "response.custom_tool_call_input.done" -> inOrder.resume(0, call, "{}");
        default -> {}
      }
    }
  }
}
