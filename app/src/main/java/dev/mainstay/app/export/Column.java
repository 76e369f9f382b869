package dev.mainstay.app.export;

import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/**
 * A column of a table.
 *
 * @param name in the header, with the unit in it
 * @param type of its values; every value may be missing
 * @param pointer where the value is in a row of the admin API
 */
record Column(String name, Type type, JsonPointer pointer) {

  /** What a column holds. */
  enum Type {
    /** Text; an object or a list as JSON. */
    TEXT,
    /** A whole number of 64 bits. */
    INTEGER,
    /** A floating-point number of 64 bits. */
    NUMBER,
    BOOLEAN,
    /** An instant in UTC, to the microsecond. */
    TIME
  }

  /** The column of a field; {@code tokens/input} is the column {@code tokens_input}. */
  static Column of(String path, Type type) {
    return new Column(path.replace('/', '_'), type, JsonPointer.compile("/" + path));
  }

  /** The value in a row; missing or null where the row has none. */
  JsonNode in(JsonNode row) {
    return row.at(pointer);
  }

  /** A value as text: that of a string, the JSON of anything else. */
  static String text(JsonNode value) {
    return value.isNumber()
        ? value.decimalValue().toPlainString()
        : value.isString() ? value.stringValue() : value.toString();
  }
}
