package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.BlockWriter;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.GatheredDeltas;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.WriterOptions;
import dev.mainstay.wire.translate.anthropic.MessageStream.Open;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes Anthropic Messages: blocks one after the other, each closed before the next begins. The
 * message begins with the first thing that is in it, so that usage told before that is in {@code
 * message_start}; why it stopped is written at the end, together with the final usage.
 */
public final class MessageReplyWriter extends BlockWriter {
  private boolean begun;
  private boolean refused;
  private final MessageStream stream = new MessageStream();

  public MessageReplyWriter(WriterOptions options) {
    super(options);
  }

  @Override
  protected void content(Delta delta, ByteArrayOutputStream to) {
    switch (delta) {
      case Delta.Text more -> text(more.text(), to);
      case Delta.Refusal more -> {
        refused = true;
        text(more.text(), to);
      }
      case Delta.Reasoning more -> reasoning(more.text(), to);
      case Delta.ReasoningSeal seal -> seal(seal, to);
      case Delta.ToolCall begins -> call(begins, to);
      case Delta.Arguments more -> {
        if (stream.is(Open.CALL) && more.call() == call) {
          stream.piece("input_json_delta", "partial_json", more.json(), to);
        } else {
          drop(AnswerFeature.INVALID_ARGUMENTS);
        }
      }
      case Delta.Citation citation -> cite(citation, to);
      case Delta.Logprobs logprobs -> drop(AnswerFeature.LOGPROBS);
      case Delta.Media media -> drop(AnswerFeature.IMAGES);
      case Delta.Native own -> own(own, to);
      case Delta.Finished ends -> {
        stream.close(to);
        finished = ends;
      }
      case Delta.Start s -> {}
      case Delta.Used u -> {}
      case Delta.End e -> {}
    }
  }

  @Override
  protected void begin(ByteArrayOutputStream to) {
    if (!begun) {
      begun = true;
      var json = Tree.object().put("type", "message_start");
      json.set("message", AnswerBlocks.message(id, modelName(), usage));
      event("message_start", Tree.write(json), to);
    }
  }

  private void text(String text, ByteArrayOutputStream to) {
    if (text.isEmpty()) {
      return;
    }
    // Citations are about the whole of their block.
    if (!stream.is(Open.TEXT) || !stream.citations().isEmpty()) {
      stream.open(Open.TEXT, Tree.object().put("type", "text").put("text", ""), to);
    }
    stream.piece("text_delta", "text", text, to);
  }

  private void reasoning(String text, ByteArrayOutputStream to) {
    if (!text.isEmpty()) {
      if (!stream.unsigned()) {
        stream.openThinking(to);
      }
      stream.piece("thinking_delta", "thinking", text, to);
    }
  }

  private void seal(Delta.ReasoningSeal seal, ByteArrayOutputStream to) {
    if (AnswerBlocks.signature(seal)) {
      if (!stream.unsigned()) {
        stream.openThinking(to);
      }
      stream.sign(seal.value().stringValue(""), to);
    } else if (seal.of() != Dialect.ANTHROPIC && stream.unsigned()) {
      stream.sign(Seals.carry(seal, false), to);
    } else {
      stream.whole(AnswerBlocks.sealBlock(seal, false), to);
    }
  }

  private void call(Delta.ToolCall begins, ByteArrayOutputStream to) {
    var seal = begins.seal();
    if (seal != null) {
      stream.whole(AnswerBlocks.sealBlock(seal, true), to);
    }
    stream.open(Open.CALL, AnswerBlocks.call(id, begins, calls++), to);
    call = begins.call();
  }

  private void cite(Delta.Citation citation, ByteArrayOutputStream to) {
    var value = AnswerBlocks.citation(citation);
    if (value == null || !stream.is(Open.TEXT)) {
      drop(AnswerFeature.CITATIONS);
    } else {
      stream.cite(value, to);
    }
  }

  private void own(Delta.Native own, ByteArrayOutputStream to) {
    if (own.of() == Dialect.ANTHROPIC) {
      stream.whole(own.value(), to);
    } else {
      drop(AnswerFeature.PROVIDER_TOOLS);
    }
  }

  @Override
  protected void end(ByteArrayOutputStream to) {
    begin(to);
    stream.close(to);
    var ends = finished;
    if (!stopped && ends != null) {
      var json = Tree.object().put("type", "message_delta");
      AnswerBlocks.stop(json.putObject("delta"), ends, calls > 0, refused);
      json.set("usage", AnswerBlocks.usage(usage));
      event("message_delta", Tree.write(json), to);
    }
    done = true;
    event("message_stop", "{\"type\":\"message_stop\"}", to);
  }

  @Override
  public byte[] whole(List<Delta> deltas) {
    var gathered = GatheredDeltas.of(deltas);
    var start = gathered.start();
    if (start != null) {
      start(start);
    }
    var json = AnswerBlocks.message(id, modelName(), gathered.usage());
    if (gathered.choices().size() > 1) {
      drop(AnswerFeature.CHOICES);
    }
    var choice = gathered.choices().get(0);
    if (choice != null) {
      json.set("content", new MessageContent(id, this::drop).of(choice));
      if (choice.finished() != null) {
        boolean said =
            choice.pieces().stream().anyMatch(piece -> piece.delta() instanceof Delta.Refusal);
        AnswerBlocks.stop(json, choice.finished(), choice.calls(), said);
      }
    }
    return Tree.write(json).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void resume(byte[] delivered) {
    each(delivered, this::delivered);
  }

  private void delivered(SseEvent event) {
    var data = Tree.read(event.data(), event.dataStart(), event.dataLength());
    switch (Tree.text(data, "type")) {
      case "message_start" -> {
        begun = true;
        var message = data.path("message");
        known(Tree.text(message, "id"), Tree.text(message, "model"));
      }
      case "content_block_start" -> {
        if (stream.begun(data) == Open.CALL) {
          call = calls++;
          inOrder.resume(0, call, "");
        }
      }
      case "content_block_delta" -> {
        stream.went(data.path("delta"));
        if (stream.is(Open.CALL)) {
          inOrder.resume(0, call, Tree.text(data.path("delta"), "partial_json"));
        }
      }
      case "content_block_stop" -> stream.ended();
      case "message_delta" -> stopped |= data.path("delta").path("stop_reason").isString();
      case "message_stop" -> done = true;
      default -> {}
    }
  }
}
