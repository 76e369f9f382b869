package dev.mainstay.core.failure;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes the wrappers off an error, one inside the other, until only what the provider said is left.
 *
 * <p>A text is scanned once for object dumps; what is outside them is the words of whoever wrote
 * the text, and strings inside them that are texts again are scanned in turn, at most {@value
 * #MAX_DEPTH} deep. In an object only fields that errors use are followed. So prompts, tool
 * arguments and other echoes are never taken for the provider's words. Each level handles at most
 * what the level above handed to it, and what is kept is capped: linear time, bounded memory.
 */
final class ErrorUnwrapper {
  static final int MAX_DEPTH = 6;
  private static final int MAX_TEXTS = 64;
  private static final int MAX_DUMP = 600;
  private static final int MIN_SENTENCE = 10;
  private static final int LEAD = 24;

  /** What stands before the arguments of a tool call. */
  private static final List<String> ARGUMENTS =
      List.of(
          "arguments",
          "args",
          "tool input",
          "tool_input",
          "call tool",
          "tool call",
          "tool parameters");

  private final Facts facts;
  private final Instant now;
  private final ErrorFindings found = new ErrorFindings();
  private final ErrorFields fields;
  private int texts;

  ErrorUnwrapper(Facts facts, Instant now) {
    this.facts = facts;
    this.now = now;
    fields = new ErrorFields(found, now, this::inner);
  }

  Evidence evidence() {
    var body = facts.body();
    var text = facts.message();
    if (body != null && !body.isBlank()) {
      text(body, true, 0);
    }
    if (text != null && !text.isBlank()) {
      text(text, false, 0);
    }
    return found.evidence(facts, now);
  }

  private void inner(String text, int depth) {
    found.layer++;
    text(text, true, depth);
    found.layer--;
  }

  /** Scans one text; {@code provider} says whose words stand outside the objects in it. */
  private void text(String raw, boolean provider, int depth) {
    if (++texts > MAX_TEXTS) {
      return;
    }
    var words = provider ? found.message : found.client;
    if (depth > MAX_DEPTH) {
      words.add(raw, provider);
      return;
    }
    var text = raw;
    int page = Html.start(text);
    if (page >= 0) {
      found.shapes.add("html");
      found.message.add(Html.visible(text, page), false);
      text = text.substring(0, page);
    }
    var outside = new StringBuilder();
    int i = 0;
    for (int open = nextOpen(text, 0); open >= 0; open = nextOpen(text, Math.max(open + 1, i))) {
      if (isEscaped(text, open)) {
        words.add(outside.append(text, i, open).toString(), provider);
        text(JsonText.unescaped(text.substring(open)), provider, depth + 1);
        return;
      }
      if (!JsonText.beginsAt(text, open)) {
        continue;
      }
      outside.append(text, i, open).append(' ');
      var read = Json.read(text, open);
      i = read.end();
      found.shapes.add("json");
      if (isArguments(outside)) {
        continue;
      }
      if (!read.complete()) {
        found.shapes.add("truncated");
      }
      int before = found.size();
      int said = found.message.length();
      fields.value(read.value(), depth);
      var written = text.substring(open, Math.min(i, text.length()));
      if (!read.complete()
          && found.message.length() - said < MIN_SENTENCE
          && isBrokenError(read.value())) {
        outside.append(written, 0, Math.min(MAX_DUMP, written.length())).append(' ');
      } else if (found.size() == before) {
        unknown(read.value(), written, provider, outside);
      }
    }
    if (i < text.length()) {
      outside.append(text, i, text.length());
    }
    words.add(outside.toString(), provider);
    if (!provider || depth == 0) {
      frame(outside);
    }
  }

  /**
   * An object without a field that errors use: a client's dump of its own error is words, a
   * provider's odd object of a few short strings too ({@code {"error parsing tool call": "…"}}).
   */
  private void unknown(
      @Nullable Object value, String written, boolean provider, StringBuilder outside) {
    if (!provider && written.length() <= MAX_DUMP && !isRequest(value)) {
      outside.append(written).append(' ');
    } else if (provider && value instanceof Map<?, ?> map && map.size() <= 2) {
      for (var entry : map.entrySet()) {
        if (entry.getValue() instanceof String words
            && words.length() <= MAX_DUMP
            && String.valueOf(entry.getKey()).contains("error")) {
          found.message.add(entry.getKey() + ": " + words, true);
        }
      }
    }
  }

  /** Whether what was said last announces the arguments of a tool call: an echo of the model's. */
  private static boolean isArguments(CharSequence before) {
    int from = Math.max(0, before.length() - LEAD);
    var lead = before.subSequence(from, before.length()).toString().toLowerCase(Locale.ROOT);
    int end = lead.length();
    while (end > 0 && " :=('`\"".indexOf(lead.charAt(end - 1)) >= 0) {
      end--;
    }
    for (var word : ARGUMENTS) {
      if (lead.startsWith(word, end - word.length())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether an object that broke off, or was pasted with gaps, is an error's: its text is words.
   */
  private static boolean isBrokenError(@Nullable Object value) {
    return value instanceof Map<?, ?> map
        && !isRequest(map)
        && (map.containsKey("error") || map.containsKey("args") || map.containsKey("message"));
  }

  private static boolean isRequest(@Nullable Object value) {
    return !(value instanceof Map<?, ?> map)
        || map.containsKey("messages")
        || map.containsKey("content")
        || map.containsKey("contents")
        || map.containsKey("prompt")
        || map.containsKey("input")
        || map.containsKey("arguments");
  }

  private void frame(CharSequence outside) {
    var head = outside.subSequence(0, Math.min(200, outside.length())).toString();
    if (head.contains("event: error") || head.contains("event:error")) {
      found.shapes.add("event-error");
    }
  }

  private static int nextOpen(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '{' || c == '[') {
        return i;
      }
    }
    return -1;
  }

  /** Whether the object at {@code open} is a level of escapes away from being one. */
  private static boolean isEscaped(String text, int open) {
    if (text.charAt(open) != '{') {
      return false;
    }
    if (open >= 2 && text.charAt(open - 2) == 'b' && "'\"".indexOf(text.charAt(open - 1)) >= 0) {
      return text.indexOf('\\', open, Math.min(text.length(), open + 4_000)) > 0;
    }
    int i = open + 1;
    int limit = Math.min(text.length() - 1, open + 40);
    while (i < limit) {
      char c = text.charAt(i);
      if (c == '\\') {
        if (text.charAt(i + 1) == '"') {
          return true;
        }
        i += 2;
      } else if (c == '"' && i > open + 1 && text.charAt(i - 1) == '\\') {
        return true;
      } else if (c == ' ' || c == 'n') {
        i++;
      } else {
        return false;
      }
    }
    return false;
  }
}
