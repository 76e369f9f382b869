package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.json.Tree;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of parts that items are made of, and how their events are called. */
enum PartKind {
  OUTPUT_TEXT("output_text", "content", "content_part", "output_text", "text"),
  REFUSAL("refusal", "content", "content_part", "refusal", "refusal"),
  SUMMARY("summary_text", "summary", "reasoning_summary_part", "reasoning_summary_text", "text"),
  REASONING("reasoning_text", "content", "content_part", "reasoning_text", "text");

  private final String type;
  private final String list;
  private final String part;
  private final String words;
  private final String field;

  PartKind(String type, String list, String part, String words, String field) {
    this.type = type;
    this.list = list;
    this.part = part;
    this.words = words;
    this.field = field;
  }

  /** The kind of a part of {@code type}, or null for one that nobody knows. */
  static @Nullable PartKind of(String type) {
    for (var kind : values()) {
      if (kind.type.equals(type)) {
        return kind;
      }
    }
    return null;
  }

  /** The item's field that holds it. */
  String list() {
    return list;
  }

  /** The field of its events that says which part it is. */
  String index() {
    return list.equals("summary") ? "summary_index" : "content_index";
  }

  String added() {
    return "response." + part + ".added";
  }

  String delta() {
    return "response." + words + ".delta";
  }

  String said() {
    return "response." + words + ".done";
  }

  String done() {
    return "response." + part + ".done";
  }

  /** The field that holds its words, in the part and in the event that says them all. */
  String field() {
    return field;
  }

  /** The part with {@code text} in it. */
  ObjectNode part(String text) {
    var json = Tree.object().put("type", type);
    if (this == OUTPUT_TEXT) {
      json.putArray("annotations");
      json.putArray("logprobs");
    }
    return json.put(field, text);
  }
}
