package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.CustomInput;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** How much of a choice is written in a stream of OpenAI Chat. */
final class ChatProgress {
  boolean role;
  boolean finished;
  int calls;
  int details;
  int annotations;
  int images;

  /** Characters of text, and how many of them were before the last citation. */
  long text;

  long cited;

  /** The calls whose arguments are still empty. */
  final BitSet empty = new BitSet();

  /** The custom calls, by place. */
  final Map<Integer, CustomInput> inputs = new HashMap<>(0);

  /** Where an attempt's calls went, by its own number for them. */
  final Map<Integer, Integer> places = new TreeMap<>();

  /** A chunk's part for this choice was delivered. */
  void delivered(JsonNode part) {
    var delta = part.path("delta");
    role = true;
    finished |= part.path("finish_reason").isString();
    text += Tree.text(delta, "content").length();
    details += delta.path("reasoning_details").size();
    annotations += delta.path("annotations").size();
    images += delta.path("images").size();
    delta.path("tool_calls").forEach(this::call);
  }

  private void call(JsonNode call) {
    int place = call.path("index").asInt(calls);
    calls = Math.max(calls, place + 1);
    places.putIfAbsent(place, place);
    if (call.has("custom")) {
      inputs.computeIfAbsent(place, _ -> CustomInput.within());
    } else if (!Tree.text(call, "id").isEmpty()) {
      empty.set(place);
    }
    if (!Tree.text(call.path("function"), "arguments").isEmpty()) {
      empty.clear(place);
    }
  }
}
