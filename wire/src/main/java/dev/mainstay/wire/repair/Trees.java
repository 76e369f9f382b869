package dev.mainstay.wire.repair;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;

/** Reads JSON into trees, strictly, and says in words why a text is none. Thread-safe. */
final class Trees {
  /** As deep as the house reads anywhere. */
  static final int MAX_DEPTH = 512;

  private Trees() {}

  /** The tree of {@code length} bytes from {@code offset}, or null where they are not JSON. */
  static @Nullable JsonNode read(byte[] json, int offset, int length) {
    try {
      return Tree.read(json, offset, length);
    } catch (JacksonException e) {
      return null;
    }
  }

  static @Nullable JsonNode read(String json) {
    var bytes = json.getBytes(StandardCharsets.UTF_8);
    return read(bytes, 0, bytes.length);
  }

  /** Why {@code json} is not one JSON value, for a model to read; null where it is one. */
  static @Nullable String mistake(String json) {
    var bytes = json.getBytes(StandardCharsets.UTF_8);
    int end = -1;
    try (JsonParser p = Json.parser(bytes)) {
      if (p.nextToken() == null) {
        return "there is nothing in it";
      }
      end = Json.end(p);
      return p.nextToken() == null ? null : follows(bytes, end);
    } catch (JacksonException e) {
      if (end >= 0) {
        return follows(bytes, end);
      }
      var at = e.getLocation();
      if (at == null || at.getByteOffset() < 0) {
        return "it cannot be read";
      }
      return at.getByteOffset() >= bytes.length
          ? "it ends before the JSON is complete, at character " + json.length()
          : "it cannot be read at character " + place(at.getByteOffset(), bytes);
    }
  }

  private static String follows(byte[] bytes, int end) {
    return "something follows the JSON at character " + place(end, bytes);
  }

  private static int place(long at, byte[] bytes) {
    int offset = (int) Math.clamp(at, 0, bytes.length);
    return new String(bytes, 0, offset, StandardCharsets.UTF_8).length() + 1;
  }

  /** The text of {@code node}'s field, or null where it has none that is text. */
  static @Nullable String text(@Nullable JsonNode node, String field) {
    var value = node == null ? null : node.get(field);
    return value != null && value.isString() ? value.stringValue() : null;
  }

  /** The first of {@code fields} that {@code node} has a value for, or null. */
  static @Nullable JsonNode first(@Nullable JsonNode node, String... fields) {
    for (var field : fields) {
      var value = node == null ? null : node.get(field);
      if (value != null && !value.isNull()) {
        return value;
      }
    }
    return null;
  }

  static boolean isTrue(@Nullable JsonNode node, String field) {
    var value = node == null ? null : node.get(field);
    return value != null && value.isBoolean() && value.booleanValue();
  }
}
