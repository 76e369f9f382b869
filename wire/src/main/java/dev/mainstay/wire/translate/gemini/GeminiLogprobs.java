package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Gemini's {@code logprobsResult}, to and from OpenAI's entries. */
final class GeminiLogprobs {
  private GeminiLogprobs() {}

  static ArrayNode entries(JsonNode result) {
    var entries = Tree.array();
    var top = result.path("topCandidates");
    int i = 0;
    for (var chosen : result.path("chosenCandidates")) {
      var entry = entry(chosen);
      var alternatives = entry.putArray("top_logprobs");
      top.path(i++).path("candidates").forEach(other -> alternatives.add(entry(other)));
      entries.add(entry);
    }
    return entries;
  }

  private static ObjectNode entry(JsonNode candidate) {
    var token = Tree.text(candidate, "token");
    var entry = Tree.object().put("token", token);
    entry.set("logprob", candidate.path("logProbability"));
    var bytes = entry.putArray("bytes");
    for (byte b : token.getBytes(StandardCharsets.UTF_8)) {
      bytes.add(b & 0xff);
    }
    return entry;
  }

  static ObjectNode result(JsonNode entries) {
    var result = Tree.object();
    var top = result.putArray("topCandidates");
    var chosen = result.putArray("chosenCandidates");
    for (var entry : entries) {
      chosen.add(candidate(entry));
      var alternatives = top.addObject().putArray("candidates");
      entry.path("top_logprobs").forEach(other -> alternatives.add(candidate(other)));
    }
    return result;
  }

  private static ObjectNode candidate(JsonNode entry) {
    var candidate = Tree.object().put("token", Tree.text(entry, "token"));
    candidate.set("logProbability", entry.path("logprob"));
    return candidate;
  }
}
