package dev.mainstay.wire.repair;

import dev.mainstay.wire.json.ByteSpan;
import dev.mainstay.wire.json.ByteSpan.Replacement;
import dev.mainstay.wire.json.JsonStrings;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Collects changes to a body, none inside another, and makes them at once. Not thread-safe. */
final class BodyEdits {
  private final byte[] body;
  private final List<Replacement> replacements = new ArrayList<>();

  BodyEdits(byte[] body) {
    this.body = body;
  }

  boolean isEmpty() {
    return replacements.isEmpty();
  }

  /** The body with all changes; the very array where there is none. */
  byte[] apply() {
    sort();
    return ByteSpan.splice(body, replacements);
  }

  private void sort() {
    replacements.sort(
        Comparator.<Replacement>comparingInt(edit -> edit.span().start())
            .thenComparingInt(edit -> edit.span().end()));
  }

  /** The bytes of {@code value} with the changes, all of which lie within it. */
  byte[] within(LocatedValue value) {
    sort();
    var shifted = new ArrayList<Replacement>(replacements.size());
    for (var edit : replacements) {
      int start = edit.span().start() - value.start();
      shifted.add(new Replacement(new ByteSpan(start, start + edit.span().length()), edit.with()));
    }
    return ByteSpan.splice(value.bytes(), shifted);
  }

  void replace(LocatedValue value, String json) {
    replacements.add(new Replacement(value.span(), utf8(json)));
  }

  void replace(LocatedValue value, byte[] json) {
    replacements.add(new Replacement(value.span(), json));
  }

  void insert(int at, String json) {
    replacements.add(new Replacement(new ByteSpan(at, at), utf8(json)));
  }

  /** Adds {@code text} at the end of the string that {@code value} is. */
  void extend(LocatedValue value, String text) {
    var quoted = JsonStrings.append(new StringBuilder(), text);
    insert(value.end() - 1, quoted.substring(1, quoted.length() - 1));
  }

  /** Adds an item at the end of {@code array}. */
  void append(LocatedValue array, String json) {
    var items = array.items();
    if (items.isEmpty()) {
      insert(array.start() + 1, json);
    } else {
      insert(items.getLast().end(), "," + json);
    }
  }

  /** Adds a field at the end of {@code object}. */
  void addField(LocatedValue object, String name, String json) {
    var field = JsonStrings.append(new StringBuilder(), name).append(':').append(json).toString();
    var fields = object.fields();
    if (fields.isEmpty()) {
      insert(object.start() + 1, field);
    } else {
      insert(fields.getLast().value().end(), "," + field);
    }
  }

  void rename(LocatedValue.Field field, String name) {
    // The quote of the name's end is the last before the value: only a colon and space lie between.
    int end = field.value().start();
    while (end > field.start() + 1 && body[end - 1] != '"') {
      end--;
    }
    replacements.add(new Replacement(new ByteSpan(field.start(), end), JsonStrings.bytes(name)));
  }

  /** Removes the fields of {@code object} that {@code gone} names; true where there was one. */
  boolean removeFields(LocatedValue object, Predicate<LocatedValue.Field> gone) {
    var fields = object.fields();
    var spans = new ArrayList<ByteSpan>(fields.size());
    var keep = new boolean[fields.size()];
    for (int i = 0; i < keep.length; i++) {
      spans.add(new ByteSpan(fields.get(i).start(), fields.get(i).value().end()));
      keep[i] = !gone.test(fields.get(i));
    }
    return remove(spans, keep);
  }

  /** Removes the items of {@code array} that {@code gone} names; true where there was one. */
  boolean removeItems(LocatedValue array, Predicate<LocatedValue> gone) {
    var items = array.items();
    var spans = new ArrayList<ByteSpan>(items.size());
    var keep = new boolean[items.size()];
    for (int i = 0; i < keep.length; i++) {
      spans.add(items.get(i).span());
      keep[i] = !gone.test(items.get(i));
    }
    return remove(spans, keep);
  }

  private boolean remove(List<ByteSpan> spans, boolean[] keep) {
    int last = keep.length - 1;
    while (last >= 0 && !keep[last]) {
      last--;
    }
    boolean any = false;
    for (int i = 0; i < last; i++) {
      if (!keep[i]) {
        cut(spans.get(i).start(), spans.get(i + 1).start());
        any = true;
      }
    }
    if (last < keep.length - 1) {
      cut(last < 0 ? spans.getFirst().start() : spans.get(last).end(), spans.getLast().end());
      any = true;
    }
    return any;
  }

  private void cut(int start, int end) {
    replacements.add(new Replacement(new ByteSpan(start, end), new byte[0]));
  }

  /**
   * An item of an array that is written anew.
   *
   * @param from its place in the old array, or -1 where it is new
   */
  @SuppressWarnings("ArrayRecordComponent") // made and used up at once
  record Piece(int from, byte[] json) {
    static Piece kept(LocatedValue array, int index) {
      return new Piece(index, array.items().get(index).bytes());
    }

    static Piece made(String json) {
      return new Piece(-1, utf8(json));
    }
  }

  /** The bytes of {@code array} with other items; between those that stay neighbours, as it was. */
  static byte[] rewrite(byte[] body, LocatedValue array, List<Piece> pieces) {
    var items = array.items();
    var out = new ByteArrayOutputStream(array.span().length() + 256);
    int first = items.isEmpty() ? array.start() + 1 : items.getFirst().start();
    out.write(body, array.start(), first - array.start());
    for (int i = 0; i < pieces.size(); i++) {
      var piece = pieces.get(i);
      if (i > 0) {
        int before = pieces.get(i - 1).from();
        if (before >= 0 && piece.from() == before + 1) {
          int from = items.get(before).end();
          out.write(body, from, items.get(piece.from()).start() - from);
        } else {
          out.write(',');
        }
      }
      out.writeBytes(piece.json());
    }
    int last = items.isEmpty() ? array.start() + 1 : items.getLast().end();
    out.write(body, last, array.end() - last);
    return out.toByteArray();
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String quoted(String text) {
    return JsonStrings.append(new StringBuilder(text.length() + 2), text).toString();
  }
}
