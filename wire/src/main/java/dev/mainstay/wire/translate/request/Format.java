package dev.mainstay.wire.translate.request;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What the answer's text must be. */
public sealed interface Format {
  /** Any JSON object. */
  record Json() implements Format {}

  /**
   * JSON that fits a schema.
   *
   * @param name null where the dialect has none
   */
  record Schema(
      @Nullable String name,
      @Nullable String description,
      ObjectNode schema,
      @Nullable Boolean strict)
      implements Format {}
}
