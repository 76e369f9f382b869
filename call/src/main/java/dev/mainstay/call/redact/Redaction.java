package dev.mainstay.call.redact;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.Redactor;
import dev.mainstay.wire.json.ByteSpan;
import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.json.JsonStrings;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Takes out of bodies what the configuration names: values at paths, and what patterns match in
 * texts. All else stays byte for byte. In a stream each event is looked at by itself. What cannot
 * be read is taken out whole, so that nothing is kept for being broken. Immutable.
 */
public final class Redaction implements Redactor {
  static final String MARK_TEXT = "[redacted]";
  private static final byte[] MARK_JSON = ("\"" + MARK_TEXT + "\"").getBytes(UTF_8);
  private static final String DATA = "data:";

  /** Steps are bits of a long. */
  private static final int MOST_STEPS = 60;

  private final List<PathRule> paths;
  private final List<TextRule> texts;

  private Redaction(List<PathRule> paths, List<TextRule> texts) {
    this.paths = List.copyOf(paths);
    this.texts = List.copyOf(texts);
  }

  /**
   * By rules such as {@code $.messages[*].content} or {@code /[0-9]{13,16}/}.
   *
   * @return {@link Redactor#NONE} without rules
   * @throws IllegalArgumentException where a rule is neither
   */
  public static Redactor of(List<String> rules) {
    var paths = new ArrayList<PathRule>();
    var texts = new ArrayList<TextRule>();
    for (var rule : rules) {
      if (rule.startsWith("$")) {
        var path = PathRule.of(rule);
        if (path.steps().size() > MOST_STEPS) {
          throw new IllegalArgumentException("a path of more than 60 steps");
        }
        paths.add(path);
      } else if (rule.length() > 2 && rule.startsWith("/") && rule.endsWith("/")) {
        texts.add(TextRule.of(rule));
      } else {
        throw new IllegalArgumentException("neither a path from $ nor a pattern between slashes");
      }
    }
    return rules.isEmpty() ? NONE : new Redaction(paths, texts);
  }

  @Override
  public byte[] body(byte[] bytes) {
    if (bytes.length == 0) {
      return bytes;
    }
    int first = 0;
    while (first < bytes.length - 1 && bytes[first] <= ' ' && bytes[first] >= 0) {
      first++;
    }
    return bytes[first] == '{' || bytes[first] == '[' ? json(bytes) : lines(bytes);
  }

  /** What a provider wrote goes, whatever the rules: an error may repeat what was asked. */
  @Override
  public String facts(String json) {
    var bytes = json.getBytes(UTF_8);
    var out = new ArrayList<ByteSpan.Replacement>();
    try (var p = Json.parser(bytes)) {
      p.nextToken();
      Json.fields(
          p,
          (name, value) -> {
            if ((name.equals("body") || name.equals("event"))
                && value.currentToken() == JsonToken.VALUE_STRING) {
              out.add(replaced(value));
            }
          });
    } catch (JacksonException e) {
      return "{}";
    }
    return new String(ByteSpan.splice(bytes, out), UTF_8);
  }

  private byte[] json(byte[] bytes) {
    var out = new ArrayList<ByteSpan.Replacement>();
    try (var p = Json.parser(bytes)) {
      p.nextToken();
      var at = new long[paths.size()];
      Arrays.fill(at, 1);
      walk(p, at, out);
      if (p.nextToken() != null) {
        return MARK_JSON.clone();
      }
    } catch (JacksonException e) {
      return MARK_JSON.clone();
    }
    return out.isEmpty() ? bytes : ByteSpan.splice(bytes, out);
  }

  /** Reads one value; {@code p} ends on its last token. */
  private void walk(JsonParser p, long[] at, List<ByteSpan.Replacement> out) {
    for (int i = 0; i < at.length; i++) {
      if (paths.get(i).means(at[i])) {
        out.add(replaced(p));
        return;
      }
    }
    switch (p.currentToken()) {
      case START_OBJECT -> {
        for (var name = p.nextName(); name != null; name = p.nextName()) {
          p.nextToken();
          walk(p, down(at, name, false), out);
        }
      }
      case START_ARRAY -> {
        int index = 0;
        for (var t = p.nextToken(); t != JsonToken.END_ARRAY && t != null; t = p.nextToken()) {
          walk(p, down(at, Integer.toString(index++), true), out);
        }
      }
      case VALUE_STRING -> {
        var text = p.getString();
        var clean = clean(text);
        if (!clean.equals(text)) {
          int start = Json.start(p);
          out.add(
              new ByteSpan.Replacement(
                  new ByteSpan(start, Json.end(p)),
                  JsonStrings.append(new StringBuilder(), clean).toString().getBytes(UTF_8)));
        }
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        var number = p.getString();
        if (!clean(number).equals(number)) {
          out.add(replaced(p));
        }
      }
      default -> {}
    }
  }

  private static ByteSpan.Replacement replaced(JsonParser p) {
    int start = Json.start(p);
    if (p.currentToken() == JsonToken.VALUE_STRING) {
      // Its end is known once it has been read.
      p.getString();
    }
    p.skipChildren();
    return new ByteSpan.Replacement(new ByteSpan(start, Json.end(p)), MARK_JSON);
  }

  private long[] down(long[] at, String name, boolean element) {
    var below = new long[at.length];
    for (int i = 0; i < at.length; i++) {
      below[i] = paths.get(i).down(at[i], name, element);
    }
    return below;
  }

  private String clean(String text) {
    var clean = text;
    for (var rule : texts) {
      clean = rule.apply(clean);
    }
    return clean;
  }

  /** Server-Sent Events, or what is neither those nor JSON. */
  private byte[] lines(byte[] bytes) {
    var text = new String(bytes, UTF_8);
    if (!text.startsWith(DATA) && !text.contains("\n" + DATA)) {
      return paths.isEmpty() ? clean(text).getBytes(UTF_8) : MARK_TEXT.getBytes(UTF_8);
    }
    var out = new ByteArrayOutputStream(bytes.length);
    int from = 0;
    while (from < text.length()) {
      int end = text.indexOf('\n', from);
      end = end < 0 ? text.length() : end + 1;
      out.writeBytes(line(text.substring(from, end)).getBytes(UTF_8));
      from = end;
    }
    return out.toByteArray();
  }

  private String line(String line) {
    if (!line.startsWith(DATA)) {
      return line;
    }
    var data = line.substring(DATA.length()).strip();
    if (data.isEmpty() || data.equals("[DONE]")) {
      return line;
    }
    var clean = new String(json(data.getBytes(UTF_8)), UTF_8);
    return clean.equals(data) ? line : line.replace(data, clean);
  }
}
