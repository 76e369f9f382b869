package dev.mainstay.wire.translate.gemini;

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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes Gemini: each event of a stream is an answer with what is new; the last one says why the
 * candidates finished and what was used.
 */
public final class GeminiReplyWriter extends DeltaWriter {
  private final CallsInOrder inOrder = new CallsInOrder();
  private final Map<Integer, GeminiCandidate> candidates = new TreeMap<>();
  private @Nullable Usage usage;
  private boolean done;

  public GeminiReplyWriter(WriterOptions options) {
    super(options);
  }

  @Override
  public void write(Delta delta, ByteArrayOutputStream to) {
    if (done) {
      return;
    }
    each(
        delta,
        (candidate, part) -> send(GeminiParts.candidate(candidate, Tree.array().add(part)), to),
        logprobs -> {
          var json = GeminiParts.candidate(logprobs.choice(), null);
          json.set("logprobsResult", GeminiLogprobs.result(logprobs.value()));
          send(json, to);
        });
    if (delta instanceof Delta.End) {
      end(to);
    }
  }

  private interface Parts {
    void part(int candidate, JsonNode part);
  }

  private void each(Delta delta, Parts parts, Consumer<Delta.Logprobs> logprobs) {
    inOrder.accept(
        delta,
        next -> {
          switch (next) {
            case Delta.Start start -> start(start);
            case Delta.Used used -> usage = used.usage();
            case Delta.End end -> {}
            case Delta.Logprobs more -> logprobs.accept(more);
            default -> {
              var candidate = candidate(next.ofChoice());
              if (!candidate.closed && !candidate.finished()) {
                candidate.add(next, part -> parts.part(candidate.index(), part));
              }
            }
          }
        });
  }

  private GeminiCandidate candidate(int index) {
    return candidates.computeIfAbsent(index, i -> new GeminiCandidate(i, this::drop));
  }

  private void end(ByteArrayOutputStream to) {
    done = true;
    var last = Tree.array();
    for (var candidate : candidates.values()) {
      if (!candidate.closed) {
        var json = GeminiParts.candidate(candidate.index(), null);
        candidate.close(json);
        last.add(json);
      }
    }
    if (!last.isEmpty()) {
      send(answer(last, usage), to);
    }
  }

  private void send(ObjectNode json, ByteArrayOutputStream to) {
    var answer = json.has("candidates") ? json : answer(Tree.array().add(json), null);
    to.writeBytes(("data: " + Tree.write(answer) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
  }

  private ObjectNode answer(ArrayNode candidates, @Nullable Usage counts) {
    var json = Tree.object();
    json.set("candidates", candidates);
    if (counts != null) {
      json.set("usageMetadata", GeminiParts.usage(counts));
    }
    return json.put("modelVersion", modelName()).put("responseId", id);
  }

  @Override
  public byte[] whole(List<Delta> deltas) {
    var parts = new TreeMap<Integer, ArrayNode>();
    var logprobs = new TreeMap<Integer, ArrayNode>();
    for (var delta : deltas) {
      each(
          delta,
          (candidate, part) -> merge(parts.computeIfAbsent(candidate, c -> Tree.array()), part),
          more -> {
            var all = logprobs.computeIfAbsent(more.choice(), c -> Tree.array());
            more.value().forEach(all::add);
          });
    }
    var list = Tree.array();
    candidates.forEach(
        (index, candidate) -> {
          var json = GeminiParts.candidate(index, parts.get(index));
          candidate.close(json);
          var said = logprobs.get(index);
          if (said != null) {
            json.set("logprobsResult", GeminiLogprobs.result(said));
          }
          list.add(json);
        });
    return Tree.write(answer(list, usage)).getBytes(StandardCharsets.UTF_8);
  }

  /** Adds {@code part}; text that goes on, plain or thought, to the part before it. */
  private static void merge(ArrayNode parts, JsonNode part) {
    if (!parts.isEmpty()
        && parts.get(parts.size() - 1) instanceof ObjectNode last
        && goesOn(last, part)) {
      last.put("text", Tree.text(last, "text") + Tree.text(part, "text"));
      if (part.has("thoughtSignature")) {
        last.set("thoughtSignature", part.get("thoughtSignature"));
      }
    } else {
      parts.add(part);
    }
  }

  private static boolean goesOn(ObjectNode last, JsonNode part) {
    return last.has("text")
        && part.has("text")
        && !last.has("thoughtSignature")
        && last.path("thought").equals(part.path("thought"));
  }

  @Override
  public void resume(byte[] delivered) {
    each(delivered, this::delivered);
  }

  private void delivered(SseEvent event) {
    var answer = Tree.read(event.data(), event.dataStart(), event.dataLength());
    known(Tree.text(answer, "responseId"), Tree.text(answer, "modelVersion"));
    for (var candidate : answer.path("candidates")) {
      candidate(candidate.path("index").asInt(0)).delivered(candidate);
    }
  }
}
