package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.translate.CallsInOrder;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.DeltaWriter;
import dev.mainstay.wire.translate.WriterOptions;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes Mistral's variant of OpenAI Chat: thinking as blocks of the content, each tool call whole
 * in one chunk, why the choices finished together with the usage in the last one.
 */
public final class MistralReplyWriter extends DeltaWriter {
  private final CallsInOrder inOrder = new CallsInOrder();
  private final Map<Integer, MistralChoice> choices = new TreeMap<>();
  private long created;
  private @Nullable Usage usage;
  private boolean finishSent;
  private boolean done;

  public MistralReplyWriter(WriterOptions options) {
    super(options);
    created = options.created();
  }

  @Override
  public void write(Delta delta, ByteArrayOutputStream to) {
    if (done) {
      return;
    }
    each(
        delta,
        (choice, field, value) -> {
          var json = Tree.object();
          if (!choice.role) {
            choice.role = true;
            json.put("role", "assistant");
          }
          send(choice.index, json.set(field, value), to);
        });
    if (delta instanceof Delta.End) {
      end(to);
    }
  }

  private void each(Delta delta, MistralChoice.Pieces pieces) {
    inOrder.accept(
        delta,
        next -> {
          switch (next) {
            case Delta.Start start -> start(start);
            case Delta.Used used -> usage = used.usage();
            case Delta.End end -> {}
            default -> choice(next.ofChoice()).add(id, next, pieces);
          }
        });
  }

  private MistralChoice choice(int index) {
    return choices.computeIfAbsent(index, i -> new MistralChoice(i, this::drop));
  }

  private void send(int index, ObjectNode delta, ByteArrayOutputStream to) {
    var json = answer("chat.completion.chunk");
    var choice = json.putArray("choices").addObject().put("index", index);
    choice.set("delta", delta);
    choice.putNull("finish_reason");
    event(Tree.write(json), to);
  }

  private void end(ByteArrayOutputStream to) {
    done = true;
    var json = answer("chat.completion.chunk");
    var list = json.putArray("choices");
    for (var choice : choices.values()) {
      var word = choice.word();
      if (!choice.closed && word != null) {
        var last = list.addObject().put("index", choice.index);
        last.putObject("delta").put("content", "");
        last.put("finish_reason", word);
      }
    }
    if (!list.isEmpty() || !finishSent) {
      var counts = usage;
      if (counts != null) {
        json.set("usage", ChatUsage.of(counts));
      }
      event(Tree.write(json), to);
    }
    event("[DONE]", to);
  }

  private ObjectNode answer(String object) {
    return Tree.object()
        .put("id", id)
        .put("object", object)
        .put("created", created)
        .put("model", modelName());
  }

  @Override
  public byte[] whole(List<Delta> deltas) {
    var contents = new TreeMap<Integer, ArrayNode>();
    var calls = new TreeMap<Integer, ArrayNode>();
    for (var delta : deltas) {
      each(
          delta,
          (choice, field, value) -> {
            if (field.equals("tool_calls")) {
              value.forEach(calls.computeIfAbsent(choice.index, c -> Tree.array())::add);
            } else {
              MistralChoice.join(contents.computeIfAbsent(choice.index, c -> Tree.array()), value);
            }
          });
    }
    var json = answer("chat.completion");
    var list = json.putArray("choices");
    for (var choice : choices.values()) {
      var one = list.addObject().put("index", choice.index);
      var message = one.putObject("message").put("role", "assistant");
      message.set("content", content(contents.get(choice.index)));
      if (calls.containsKey(choice.index)) {
        message.set("tool_calls", calls.get(choice.index));
      }
      one.put("finish_reason", choice.word());
    }
    var counts = usage;
    json.set("usage", ChatUsage.of(counts == null ? new Usage(0, 0, 0, 0, 0, true) : counts));
    return Tree.write(json).getBytes(StandardCharsets.UTF_8);
  }

  /** Text alone is a string. */
  private static JsonNode content(@Nullable ArrayNode blocks) {
    if (blocks == null) {
      return Tree.object().put("content", "").get("content");
    }
    boolean text = blocks.size() == 1 && Tree.text(blocks.get(0), "type").equals("text");
    return text ? blocks.get(0).get("text") : blocks;
  }

  @Override
  public void resume(byte[] delivered) {
    each(delivered, this::delivered);
  }

  private void delivered(SseEvent event) {
    if (event.dataIs("[DONE]")) {
      done = true;
      return;
    }
    var chunk = Tree.read(event.data(), event.dataStart(), event.dataLength());
    known(Tree.text(chunk, "id"), Tree.text(chunk, "model"));
    created = chunk.path("created").asLong(created);
    for (var part : chunk.path("choices")) {
      var choice = choice(part.path("index").asInt(0));
      choice.role = true;
      choice.calls += part.path("delta").path("tool_calls").size();
      if (part.path("finish_reason").isString()) {
        choice.closed = true;
        finishSent = true;
      }
    }
  }
}
