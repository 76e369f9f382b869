package dev.mainstay.wire.repair;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A JSON Schema's limits of numbers, lengths and sizes. */
final class SchemaLimits {
  private SchemaLimits() {}

  /** Which limit {@code value}, a string or a number, breaks, or null. */
  static @Nullable String misfit(JsonNode schema, JsonNode value, String path) {
    if (value.isString()) {
      var text = value.stringValue();
      int length = text.codePointCount(0, text.length());
      return size(schema, length, path, "minLength", "maxLength", "characters");
    }
    if (!value.isNumber()) {
      return null;
    }
    var least = number(schema, "minimum");
    if (least != null && compare(value, least) < 0) {
      return path + " must be at least " + SchemaFit.listed(least);
    }
    var most = number(schema, "maximum");
    if (most != null && compare(value, most) > 0) {
      return path + " must be at most " + SchemaFit.listed(most);
    }
    var above = number(schema, "exclusiveMinimum");
    if (above != null && compare(value, above) <= 0) {
      return path + " must be more than " + SchemaFit.listed(above);
    }
    var below = number(schema, "exclusiveMaximum");
    return below != null && compare(value, below) >= 0
        ? path + " must be less than " + SchemaFit.listed(below)
        : null;
  }

  /** The limits of a size. Gemini writes them as strings. */
  static @Nullable String size(
      JsonNode schema, int size, String path, String least, String most, String what) {
    long min = limit(schema.get(least), 0);
    if (size < min) {
      return path + " must have at least " + min + " " + what;
    }
    long max = limit(schema.get(most), Long.MAX_VALUE);
    return size > max ? path + " must have at most " + max + " " + what : null;
  }

  private static long limit(@Nullable JsonNode node, long otherwise) {
    if (node != null && node.isIntegralNumber() && node.canConvertToLong()) {
      return node.longValue();
    }
    return node != null && node.isString() && node.stringValue().matches("[0-9]{1,9}")
        ? Long.parseLong(node.stringValue())
        : otherwise;
  }

  private static @Nullable JsonNode number(JsonNode schema, String field) {
    var node = schema.get(field);
    return node != null && node.isNumber() ? node : null;
  }

  static int compare(JsonNode a, JsonNode b) {
    if (a.isIntegralNumber() && b.isIntegralNumber()) {
      return a.bigIntegerValue().compareTo(b.bigIntegerValue());
    }
    double left = a.doubleValue();
    double right = b.doubleValue();
    return Double.isInfinite(left) || Double.isInfinite(right)
        ? Double.compare(left, right)
        : new BigDecimal(left).compareTo(new BigDecimal(right));
  }
}
