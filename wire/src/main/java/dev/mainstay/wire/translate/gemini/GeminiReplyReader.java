package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.gemini.GeminiUsage;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.DeltaReader;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.Seals;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads Gemini: a stream is a row of answers, each with what is new. What a candidate says of
 * itself beside its content (grounding, citations) counts as it stands when the candidate finishes.
 */
public final class GeminiReplyReader extends DeltaReader {
  /** What is kept as it is for Gemini's own clients. */
  private static final List<String> NOTES =
      List.of("groundingMetadata", "citationMetadata", "urlContextMetadata");

  private final Map<Integer, Candidate> candidates = new TreeMap<>();
  private boolean started;
  private @Nullable Usage usage;

  /** What was read of a candidate. */
  private static final class Candidate {
    final StringBuilder text = new StringBuilder();
    final ObjectNode notes = Tree.object();
    int calls;
    boolean finished;

    /** The arguments of the last call, where they come in pieces. */
    @Nullable PartialArgs partial;
  }

  @Override
  protected void event(String name, JsonNode data) {
    if (!name.equals("error") && !data.has("error")) {
      read(data);
    }
  }

  @Override
  protected void answer(JsonNode body) {
    if (!body.path("candidates").isArray() && !body.path("promptFeedback").isObject()) {
      throw new MalformedReplyException("the answer has no candidates");
    }
    read(body);
    say(new Delta.End());
  }

  @Override
  protected void closed() {
    if (!candidates.isEmpty() && candidates.values().stream().allMatch(c -> c.finished)) {
      say(new Delta.End());
    }
  }

  private void read(JsonNode data) {
    if (!started) {
      started = true;
      say(
          new Delta.Start(
              data.path("responseId").stringValue(null),
              data.path("modelVersion").stringValue(null)));
    }
    data.path("candidates").forEach(this::candidate);
    var blocked = Tree.text(data.path("promptFeedback"), "blockReason");
    if (!blocked.isEmpty() && candidates.isEmpty()) {
      candidates.computeIfAbsent(0, n -> new Candidate()).finished = true;
      say(new Delta.Finished(0, Delta.Ending.CONTENT_FILTER, blocked, null));
    }
    if (data.path("usageMetadata").isObject()) {
      var so = GeminiUsage.read(Tree.walk(data.get("usageMetadata")));
      if (!so.equals(usage)) {
        usage = so;
        say(new Delta.Used(so));
      }
    }
  }

  private void candidate(JsonNode data) {
    int index = data.path("index").asInt(0);
    var candidate = candidates.computeIfAbsent(index, n -> new Candidate());
    if (candidate.finished) {
      return;
    }
    data.path("content").path("parts").forEach(part -> part(index, candidate, part));
    var logprobs = GeminiLogprobs.entries(data.path("logprobsResult"));
    if (!logprobs.isEmpty()) {
      say(new Delta.Logprobs(index, logprobs));
    }
    for (var note : NOTES) {
      if (data.has(note)) {
        candidate.notes.set(note, data.get(note));
      }
    }
    var word = Tree.text(data, "finishReason");
    if (!word.isEmpty() && !word.equals("FINISH_REASON_UNSPECIFIED")) {
      candidate.finished = true;
      partial(index, candidate);
      notes(index, candidate);
      var ending = GeminiEndings.ending(word, candidate.calls > 0);
      say(new Delta.Finished(index, ending, word, null));
    }
  }

  private void part(int index, Candidate candidate, JsonNode part) {
    boolean thought = part.path("thought").asBoolean(false);
    var signature = part.path("thoughtSignature");
    if (part.has("functionCall")) {
      call(index, candidate, part.get("functionCall"), signature);
      return;
    }
    if (part.has("text")) {
      var text = Tree.text(part, "text");
      if (thought) {
        sayReasoning(index, text);
      } else {
        candidate.text.append(text);
        sayText(index, text);
      }
      sign(index, signature);
    } else if (part.path("inlineData").isObject() && !thought && !signature.isString()) {
      var data = part.get("inlineData");
      say(new Delta.Media(index, Tree.text(data, "mimeType"), Tree.text(data, "data")));
    } else if (part.size() == 1 && signature.isString()) {
      sign(index, signature);
    } else if (!part.isEmpty()) {
      say(new Delta.Native(index, Dialect.GEMINI, part));
    }
  }

  private void sign(int index, JsonNode signature) {
    if (!signature.isString()) {
      return;
    }
    var carried = Seals.read(signature.stringValue());
    var seal =
        carried == null
            ? new Delta.ReasoningSeal(index, Dialect.GEMINI, signature)
            : carried.seal(index);
    if (seal != null) {
      say(seal);
    }
  }

  private void call(int index, Candidate candidate, JsonNode call, JsonNode signature) {
    boolean goesOn = call.path("willContinue").asBoolean(false);
    var partial = candidate.partial;
    if (partial != null && partial.goesOnWith(call)) {
      partial.add(call);
      if (!goesOn) {
        partial(index, candidate);
      }
      return;
    }
    partial(index, candidate);
    int number = candidate.calls++;
    var seal =
        signature.isString() ? new Delta.ReasoningSeal(index, Dialect.GEMINI, signature) : null;
    var id = call.path("id").stringValue(null);
    say(new Delta.ToolCall(index, number, id, Tree.text(call, "name"), seal));
    if (goesOn || call.path("partialArgs").isArray()) {
      candidate.partial = new PartialArgs(call);
      if (!goesOn) {
        partial(index, candidate);
      }
    } else if (call.path("args").isObject()) {
      sayArguments(index, number, Tree.write(call.get("args")));
    }
  }

  /** The arguments that came in pieces have come. */
  private void partial(int index, Candidate candidate) {
    if (candidate.partial != null) {
      sayArguments(index, candidate.calls - 1, candidate.partial.json());
      candidate.partial = null;
    }
  }

  private void notes(int index, Candidate candidate) {
    if (candidate.notes.isEmpty()) {
      return;
    }
    var grounding = candidate.notes.path("groundingMetadata");
    var chunks = grounding.path("groundingChunks");
    for (var support : grounding.path("groundingSupports")) {
      var segment = support.path("segment");
      for (var chunk : support.path("groundingChunkIndices")) {
        cite(index, candidate, chunks.path(chunk.asInt(-1)).path("web"), segment);
      }
    }
    if (grounding.path("groundingSupports").isEmpty()) {
      chunks.forEach(chunk -> cite(index, candidate, chunk.path("web"), Tree.object()));
    }
    var citations = candidate.notes.path("citationMetadata");
    // Vertex's word, and the Gemini API's.
    for (var name : List.of("citations", "citationSources")) {
      citations.path(name).forEach(source -> cite(index, candidate, source, source));
    }
    say(new Delta.Native(index, Dialect.GEMINI, candidate.notes));
  }

  private void cite(int index, Candidate candidate, JsonNode source, JsonNode segment) {
    if (Tree.text(source, "uri").isEmpty()) {
      return;
    }
    var value =
        Tree.object().put("uri", Tree.text(source, "uri")).put("title", Tree.text(source, "title"));
    if (segment.has("endIndex")) {
      var text = candidate.text;
      value.put("startIndex", Utf8.chars(text, segment.path("startIndex").asLong(0)));
      value.put("endIndex", Utf8.chars(text, segment.path("endIndex").asLong(0)));
    }
    say(new Delta.Citation(index, Dialect.GEMINI, value));
  }
}
