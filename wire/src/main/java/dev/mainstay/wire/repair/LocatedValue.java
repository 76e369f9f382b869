package dev.mainstay.wire.repair;

import dev.mainstay.wire.json.ByteSpan;
import dev.mainstay.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A JSON value and where it stands, so that it can be cut out or replaced and every other byte
 * stays. Texts are decoded only when asked for. Immutable.
 */
final class LocatedValue {
  /**
   * A body with more values is not taken apart: at some 50 bytes each, a client's worst 64 MiB
   * would cost gigabytes. Conversations of 1 MB have about 20,000.
   */
  static final int MAX_VALUES = 1_000_000;

  /** A field of an object; {@code start} is where its name's quote stands. */
  record Field(String name, int start, LocatedValue value) {}

  private final byte[] source;
  private final JsonToken kind;
  private final int start;
  private final int end;
  private final List<Field> fields;
  private final List<LocatedValue> items;

  private LocatedValue(
      byte[] source,
      JsonToken kind,
      int start,
      int end,
      List<Field> fields,
      List<LocatedValue> items) {
    this.source = source;
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.fields = fields;
    this.items = items;
  }

  /** The object that {@code body} is, or null where it is none, or one too large. */
  static @Nullable LocatedValue object(byte[] body) {
    try (var p = Json.parser(body)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      int[] left = {MAX_VALUES};
      var read = read(body, p, left);
      return left[0] >= 0 && p.nextToken() == null ? read : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  /** Keeps nothing more, with {@code left} below 0, where there are too many values. */
  private static LocatedValue read(byte[] source, JsonParser p, int[] left) {
    var kind = p.currentToken();
    int start = Json.start(p);
    List<Field> fields = List.of();
    List<LocatedValue> items = List.of();
    if (--left[0] < 0) {
      p.skipChildren();
    } else if (kind == JsonToken.START_OBJECT) {
      fields = new ArrayList<>(4);
      while (p.nextToken() == JsonToken.PROPERTY_NAME) {
        var name = p.currentName();
        int at = Json.start(p);
        p.nextToken();
        var value = read(source, p, left);
        if (left[0] >= 0) {
          fields.add(new Field(name, at, value));
        }
      }
    } else if (kind == JsonToken.START_ARRAY) {
      items = new ArrayList<>(4);
      while (p.nextToken() != JsonToken.END_ARRAY) {
        var value = read(source, p, left);
        if (left[0] >= 0) {
          items.add(value);
        }
      }
    }
    p.finishToken();
    int end = (int) p.currentLocation().getByteOffset();
    return new LocatedValue(source, kind, start, end, fields, items);
  }

  ByteSpan span() {
    return new ByteSpan(start, end);
  }

  int start() {
    return start;
  }

  int end() {
    return end;
  }

  boolean isObject() {
    return kind == JsonToken.START_OBJECT;
  }

  boolean isArray() {
    return kind == JsonToken.START_ARRAY;
  }

  boolean isString() {
    return kind == JsonToken.VALUE_STRING;
  }

  boolean isNull() {
    return kind == JsonToken.VALUE_NULL;
  }

  List<Field> fields() {
    return fields;
  }

  List<LocatedValue> items() {
    return items;
  }

  /** The field of that name, of several the last, as most readers take it; or null. */
  @Nullable Field field(String name) {
    for (int i = fields.size() - 1; i >= 0; i--) {
      if (fields.get(i).name().equals(name)) {
        return fields.get(i);
      }
    }
    return null;
  }

  /** The value of the first of {@code names} that is a field and not null, or null. */
  @Nullable LocatedValue get(String... names) {
    for (var name : names) {
      var field = field(name);
      if (field != null && !field.value().isNull()) {
        return field.value();
      }
    }
    return null;
  }

  /** The items of the array that the first of {@code names} is; none where it is none. */
  List<LocatedValue> list(String... names) {
    var value = get(names);
    return value == null ? List.of() : value.items();
  }

  /** The text of the field, or "" where it is none. */
  String text(String name) {
    var value = get(name);
    return value == null ? "" : value.text();
  }

  /** The text that this is, or "" where it is none. */
  String text() {
    if (!isString()) {
      return "";
    }
    try (var p = Json.parser(source, start, end - start)) {
      p.nextToken();
      return p.getString();
    } catch (JacksonException e) {
      return "";
    }
  }

  /** The whole number that this is, or -1 where it is none that fits. */
  long number() {
    if (kind != JsonToken.VALUE_NUMBER_INT || end - start > 18) {
      return -1;
    }
    return Math.max(-1, Long.parseLong(new String(bytes(), StandardCharsets.US_ASCII)));
  }

  byte[] bytes() {
    return Arrays.copyOfRange(source, start, end);
  }

  /** As it is written. */
  String json() {
    return new String(source, start, end - start, StandardCharsets.UTF_8);
  }
}
