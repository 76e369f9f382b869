package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.JsonStrings;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.CustomInput;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.DeltaWriter;
import dev.mainstay.wire.translate.GatheredDeltas;
import dev.mainstay.wire.translate.WriterOptions;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes OpenAI Chat. What OpenAI has no field for goes where its imitators put it: reasoning into
 * {@code reasoning_content}, its seal into {@code reasoning_details}, images into {@code images}.
 * Elements of a list carry an index, because the Python SDK puts lists together by it.
 */
public final class ChatReplyWriter extends DeltaWriter {
  /** The largest {@code n} that OpenAI documents. */
  private static final int MOST_CHOICES = 128;

  private final Map<Integer, ChatProgress> choices = new TreeMap<>();
  private long created;
  private ObjectNode kept = Tree.object();
  private @Nullable String prefix;
  private @Nullable Usage usage;
  private boolean usageSent;
  private boolean done;

  public ChatReplyWriter(WriterOptions options) {
    super(options);
    created = options.created();
  }

  @Override
  public void write(Delta delta, ByteArrayOutputStream to) {
    if (done) {
      return;
    }
    switch (delta) {
      case Delta.Start start -> {
        start(start);
        prefix = null;
      }
      case Delta.Text more -> {
        var choice = open(more.choice(), to);
        if (choice != null) {
          choice.text += more.text().length();
        }
        piece(more.choice(), "content", more.text(), to);
      }
      case Delta.Refusal more -> piece(more.choice(), "refusal", more.text(), to);
      case Delta.Reasoning more -> piece(more.choice(), "reasoning_content", more.text(), to);
      case Delta.ReasoningSeal seal -> {
        var choice = open(seal.choice(), to);
        if (choice != null) {
          list(seal.choice(), "reasoning_details", ChatAnswer.seal(seal, choice.details++), to);
        }
      }
      case Delta.ToolCall call -> {
        var choice = open(call.choice(), to);
        if (choice != null) {
          call(choice, call, to);
        }
      }
      case Delta.Arguments more -> {
        var choice = open(more.choice(), to);
        var place = choice == null ? null : choice.places.get(more.call());
        if (choice != null && place != null && !more.json().isEmpty()) {
          choice.empty.clear(place);
          var input = choice.inputs.get(place);
          if (input == null) {
            piece(more.choice(), place, "function", "arguments", more.json(), to);
          } else {
            piece(more.choice(), place, "custom", "input", input.feed(more.json()), to);
          }
        }
      }
      case Delta.Citation citation -> {
        var choice = open(citation.choice(), to);
        if (choice != null) {
          citation(choice, citation, to);
        }
      }
      case Delta.Logprobs logprobs -> {
        if (open(logprobs.choice(), to) != null) {
          var value = "{\"content\":" + Tree.write(logprobs.value()) + ",\"refusal\":null}";
          chunk(logprobs.choice(), "{}", value, null, to);
        }
      }
      case Delta.Media media -> {
        var choice = open(media.choice(), to);
        var image = choice == null ? null : ChatAnswer.image(media, choice.images++);
        if (image != null) {
          list(media.choice(), "images", image, to);
        } else {
          drop(AnswerFeature.IMAGES);
        }
      }
      case Delta.Native own -> {
        if (own.of() != Dialect.OPENAI_CHAT) {
          drop(AnswerFeature.PROVIDER_TOOLS);
        } else if (open(own.choice(), to) != null) {
          chunk(own.choice(), Tree.write(own.value()), null, null, to);
        }
      }
      case Delta.Finished finished -> finish(finished, to);
      case Delta.Used used -> usage = used.usage();
      case Delta.End end -> end(to);
    }
  }

  /**
   * The choice, its role sent; null where it has finished already, or nobody can have asked for it.
   */
  private @Nullable ChatProgress open(int number, ByteArrayOutputStream to) {
    if (number < 0 || number >= MOST_CHOICES) {
      drop(AnswerFeature.CHOICES);
      return null;
    }
    // The Python SDK puts the choices of the first chunk at their places, without a gap.
    for (int each = 0; each <= number; each++) {
      var choice = choices.computeIfAbsent(each, n -> new ChatProgress());
      if (!choice.role) {
        choice.role = true;
        chunk(each, "{\"role\":\"assistant\",\"content\":\"\"}", null, null, to);
      }
    }
    var choice = choices.get(number);
    return choice == null || choice.finished ? null : choice;
  }

  private void call(ChatProgress choice, Delta.ToolCall call, ByteArrayOutputStream to) {
    int place = choice.calls++;
    choice.places.put(call.call(), place);
    boolean custom = isCustom(call);
    if (custom) {
      choice.inputs.put(place, new CustomInput());
    } else {
      choice.empty.set(place);
    }
    list(call.choice(), "tool_calls", ChatAnswer.call(id, call, place, custom, ""), to);
  }

  /** Clients parse a call's arguments as JSON, also those of a call that has none. */
  private void fillEmpty(ChatProgress choice, int number, ByteArrayOutputStream to) {
    choice.empty.stream().forEach(place -> piece(number, place, "function", "arguments", "{}", to));
    choice.empty.clear();
  }

  /** More of a call's arguments, or of a custom one's input. */
  private void piece(
      int number, int place, String kind, String field, String more, ByteArrayOutputStream to) {
    if (!more.isEmpty()) {
      var delta = new StringBuilder(more.length() + 64).append("{\"tool_calls\":[{\"index\":");
      delta.append(place).append(",\"").append(kind).append("\":{\"").append(field).append("\":");
      chunk(number, JsonStrings.append(delta, more).append("}}]}"), null, null, to);
    }
  }

  private void citation(ChatProgress choice, Delta.Citation citation, ByteArrayOutputStream to) {
    var note = ChatAnswer.citation(citation, choice.cited, choice.text);
    choice.cited = choice.text;
    if (note == null) {
      drop(AnswerFeature.CITATIONS);
    } else {
      list(citation.choice(), "annotations", note.put("index", choice.annotations++), to);
    }
  }

  private void finish(Delta.Finished finished, ByteArrayOutputStream to) {
    var choice = open(finished.choice(), to);
    if (choice == null) {
      return;
    }
    fillEmpty(choice, finished.choice(), to);
    choice.finished = true;
    chunk(finished.choice(), "{}", null, finished, to);
  }

  private void end(ByteArrayOutputStream to) {
    done = true;
    var counts = usage;
    if (options.usageInStream() && counts != null && !usageSent) {
      event(prefix() + "],\"usage\":" + Tree.write(ChatUsage.of(counts)) + "}", to);
    }
    event("[DONE]", to);
  }

  private void piece(int number, String field, String text, ByteArrayOutputStream to) {
    if (open(number, to) != null && !text.isEmpty()) {
      var delta = new StringBuilder(text.length() + 32).append("{\"").append(field).append("\":");
      chunk(number, JsonStrings.append(delta, text).append('}'), null, null, to);
    }
  }

  private void list(int number, String field, JsonNode element, ByteArrayOutputStream to) {
    chunk(number, "{\"" + field + "\":[" + Tree.write(element) + "]}", null, null, to);
  }

  private void chunk(
      int number,
      CharSequence delta,
      @Nullable String logprobs,
      Delta.@Nullable Finished finished,
      ByteArrayOutputStream to) {
    var out = new StringBuilder(delta.length() + 256).append(prefix());
    out.append("{\"index\":").append(number).append(",\"delta\":").append(delta);
    out.append(",\"logprobs\":").append(logprobs).append(",\"finish_reason\":");
    if (finished == null) {
      out.append("null");
    } else {
      var choice = choices.get(number);
      boolean calls = choice != null && choice.calls > 0;
      JsonStrings.append(out, ChatEndings.word(Dialect.OPENAI_CHAT, finished, calls));
      if (finished.stopSequence() != null) {
        JsonStrings.append(out.append(",\"stop_reason\":"), finished.stopSequence());
      }
    }
    out.append("}]");
    event(options.usageInStream() ? out.append(",\"usage\":null}") : out.append('}'), to);
  }

  /** The same for every chunk: all up to the choices. */
  private String prefix() {
    if (prefix == null) {
      var json =
          Tree.object()
              .put("id", id)
              .put("object", "chat.completion.chunk")
              .put("created", created)
              .put("model", modelName())
              .setAll(kept);
      var text = Tree.write(json);
      prefix = text.substring(0, text.length() - 1) + ",\"choices\":[";
    }
    return prefix;
  }

  @Override
  public byte[] whole(List<Delta> deltas) {
    var gathered = GatheredDeltas.of(deltas);
    var begin = gathered.start();
    if (begin != null) {
      start(begin);
    }
    var json =
        Tree.object()
            .put("id", id)
            .put("object", "chat.completion")
            .put("created", created)
            .put("model", modelName());
    var list = json.putArray("choices");
    var whole = new ChatMessage(id, this::isCustom, this::drop);
    gathered.choices().forEach((number, choice) -> list.add(whole.choice(number, choice)));
    var counts = gathered.usage();
    if (counts != null) {
      json.set("usage", ChatUsage.of(counts));
    }
    return Tree.write(json).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void resume(byte[] delivered) {
    each(delivered, this::delivered);
    prefix = null;
  }

  private void delivered(SseEvent event) {
    if (event.dataIs("[DONE]")) {
      done = true;
      return;
    }
    var chunk = Tree.read(event.data(), event.dataStart(), event.dataLength());
    known(Tree.text(chunk, "id"), Tree.text(chunk, "model"));
    created = chunk.path("created").asLong(created);
    for (var name : List.of("system_fingerprint", "service_tier")) {
      if (chunk.path(name).isString()) {
        kept.set(name, chunk.get(name));
      }
    }
    usageSent |= chunk.path("usage").isObject();
    for (var part : chunk.path("choices")) {
      choices.computeIfAbsent(part.path("index").asInt(0), n -> new ChatProgress()).delivered(part);
    }
  }
}
