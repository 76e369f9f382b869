package dev.mainstay.call.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.BodyText;
import dev.mainstay.wire.json.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * What people wrote and models answered, out of bodies of any dialect: the texts in JSON, without
 * what only programs read. What a stream brings in pieces is put together again. Immutable.
 */
public final class SearchableText implements BodyText {
  public static final SearchableText INSTANCE = new SearchableText();

  /** Characters of a body that count: the last of a request, since it ends with what is new. */
  private static final int MOST = 32_768;

  /** A text of so many characters without a space is no words: an image, a signature. */
  private static final int LONGEST_WITHOUT_SPACE = 256;

  private static final String DATA = "data:";

  /** Names whose texts say what the rest is, not what was said; ids besides. */
  private static final Set<String> NO_TEXT =
      Set.of(
          "id",
          "type",
          "role",
          "object",
          "model",
          "modelversion",
          "finish_reason",
          "finishreason",
          "stop_reason",
          "status",
          "system_fingerprint",
          "service_tier",
          "mime_type",
          "mimetype",
          "media_type",
          "signature",
          "thoughtsignature",
          "encrypted_content",
          "obfuscation",
          "data",
          "b64_json",
          "bytes",
          "logprobs");

  private SearchableText() {}

  @Override
  public String of(byte[] body, Body.Part part) {
    int first = 0;
    while (first < body.length - 1 && body[first] <= ' ' && body[first] >= 0) {
      first++;
    }
    if (body.length == 0) {
      return "";
    }
    var text = body[first] == '{' || body[first] == '[' ? ofJson(body) : ofEvents(body);
    if (text.length() <= MOST) {
      return text;
    }
    return part == Body.Part.REQUEST
        ? text.substring(text.length() - MOST)
        : text.substring(0, MOST);
  }

  private static String ofJson(byte[] json) {
    var text = new StringBuilder();
    read(json, 0, json.length, (path, value) -> text.append(value).append('\n'));
    return text.toString();
  }

  /** Texts at one place of a stream's events go on one another. */
  private static String ofEvents(byte[] stream) {
    var byPath = new LinkedHashMap<String, StringBuilder>();
    int from = 0;
    while (from < stream.length) {
      int end = from;
      while (end < stream.length && stream[end] != '\n') {
        end++;
      }
      var line = new String(stream, from, Math.min(end - from, DATA.length()), UTF_8);
      if (line.equals(DATA)) {
        int start = from + DATA.length();
        read(
            stream,
            start,
            end - start,
            (path, value) ->
                byPath.computeIfAbsent(path, first -> new StringBuilder()).append(value));
      }
      from = end + 1;
    }
    return String.join("\n", byPath.values());
  }

  /** Tells of each text with the names that lead to it. What breaks off is read up to there. */
  private static void read(byte[] json, int from, int length, BiConsumer<String, String> to) {
    try (var p = Json.parser(json, from, length)) {
      for (var token = p.nextToken(); token != null; token = p.nextToken()) {
        if (token == JsonToken.VALUE_STRING && isText(p)) {
          var value = p.getString();
          if (isWords(value)) {
            to.accept(path(p), value);
          }
        }
      }
    } catch (RuntimeException e) {
      // No JSON, or not whole: what was read so far can be found.
    }
  }

  private static boolean isText(JsonParser p) {
    for (var at = p.streamReadContext(); at != null; at = at.getParent()) {
      var name = at.currentName();
      if (name != null) {
        return !NO_TEXT.contains(name.toLowerCase(Locale.ROOT))
            && !name.endsWith("_id")
            && !name.endsWith("Id");
      }
    }
    return true;
  }

  private static String path(JsonParser p) {
    var path = new StringBuilder();
    for (var at = p.streamReadContext(); at != null; at = at.getParent()) {
      if (at.currentName() != null) {
        path.append(at.currentName()).append('/');
      }
    }
    return path.toString();
  }

  private static boolean isWords(String value) {
    if (value.length() <= LONGEST_WITHOUT_SPACE) {
      return true;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' || c > 0x7f) {
        return true;
      }
    }
    return false;
  }
}
