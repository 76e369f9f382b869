package dev.mainstay.wire.translate.request;

import java.util.function.UnaryOperator;
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

  /**
   * As both of OpenAI's dialects have it, but for where a schema's fields are.
   *
   * @param fields from the format to the node that holds them
   */
  static @Nullable Format openAi(
      TranslationContext context, @Nullable Node format, UnaryOperator<Node> fields) {
    if (format == null) {
      return null;
    }
    var type = format.require("type");
    return switch (type.string()) {
      case "text" -> null;
      case "json_object" -> context.at(format, new Json());
      case "json_schema" -> {
        var schema = fields.apply(format);
        yield context.at(
            schema,
            new Schema(
                schema.string("name"),
                schema.string("description"),
                schema.require("schema").object(),
                schema.bool("strict")));
      }
      default -> throw type.wrong("\"text\", \"json_object\" or \"json_schema\"");
    };
  }
}
