package dev.mainstay.wire.repair;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A tool that a request offers the model.
 *
 * @param schema the JSON Schema of its arguments, in JSON Schema's or in Gemini's words; null where
 *     the request gives none
 * @param strict whether the request says that arguments must fit the schema
 */
public record OfferedTool(String name, Kind kind, @Nullable JsonNode schema, boolean strict) {

  /** Who runs a tool, and what its arguments are. */
  public enum Kind {
    /** The client runs it; its arguments are a JSON object. */
    FUNCTION,
    /** The client runs it; its input is any text, and its arguments an object with that text. */
    CUSTOM,
    /** The provider defined it, and may run it too: its calls are left alone. */
    BUILT_IN
  }
}
