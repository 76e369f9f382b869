package dev.mainstay.wire.repair;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a request says that the text of the answer must be. */
public sealed interface AnswerFormat {

  /** Any text. */
  record Free() implements AnswerFormat {}

  /**
   * JSON.
   *
   * @param schema the JSON Schema it is to fit, or null where any JSON will do
   * @param strict whether the request says that it must fit
   */
  record Json(@Nullable JsonNode schema, boolean strict) implements AnswerFormat {}
}
