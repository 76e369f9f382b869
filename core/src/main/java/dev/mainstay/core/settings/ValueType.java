package dev.mainstay.core.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one kind of value is read from text, written, and described. Stateless.
 *
 * @param <T> what it is read into; {@link Comparable} where settings of this type have a range
 */
public interface ValueType<T> {
  /** The value, or null where {@code text} is none. */
  @Nullable T parse(String text);

  /** What may be written, in words: {@code a whole number}. */
  String allowed();

  /** Text that {@link #parse} reads as {@code value}. */
  default String format(T value) {
    return value.toString();
  }

  /** The value as {@code /api/config} shows it: a text, a number, a boolean; never a secret. */
  default Object show(T value) {
    return format(value);
  }

  /** What an error says was found; overridden where the text may hold a secret. */
  default String found(String text) {
    return text.isEmpty() ? "nothing" : "\"" + text + "\"";
  }

  /** The name of the JSON type, or of a definition in the schema. */
  default String schema() {
    return "string";
  }

  /** All values there are, where they are few; empty otherwise. */
  default List<String> choices() {
    return List.of();
  }
}
