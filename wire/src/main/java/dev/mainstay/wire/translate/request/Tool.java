package dev.mainstay.wire.translate.request;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A function of the client that the model may call.
 *
 * @param schema a JSON Schema of its arguments; null where it takes none
 * @param strict whether arguments must fit the schema; null where the request does not say
 * @param custom not null where its input is any text; the schema is then that of one text
 */
public record Tool(
    String name,
    @Nullable String description,
    @Nullable ObjectNode schema,
    @Nullable Boolean strict,
    @Nullable CacheMark cache,
    @Nullable CustomTool custom) {
  public Tool(
      String name,
      @Nullable String description,
      @Nullable ObjectNode schema,
      @Nullable Boolean strict,
      @Nullable CacheMark cache) {
    this(name, description, schema, strict, cache, null);
  }
}
