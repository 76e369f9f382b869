package dev.mainstay.simulator;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What the dialects' rules share: questions about the JSON of a request. */
final class RequestJson {
  private static final String DATA = "data:";

  private RequestJson() {}

  /** Field names, written with blanks between them. */
  static Set<String> names(String words) {
    return Set.of(words.trim().split("\\s+"));
  }

  /** The fields of {@code object} that are not {@code known}, in order. */
  static List<String> unknown(JsonNode object, Set<String> known) {
    var unknown = new ArrayList<String>();
    object.propertyNames().stream().filter(name -> !known.contains(name)).forEach(unknown::add);
    return unknown;
  }

  /** Whether a field says something: it is there and not null. */
  static boolean says(JsonNode object, String field) {
    return object.hasNonNull(field);
  }

  static String text(JsonNode object, String field) {
    return object.path(field).asString("");
  }

  /** Whether {@code data} is base64 in the standard alphabet, with its padding. */
  static boolean isBase64(String data) {
    try {
      return data.length() % 4 == 0 && Base64.getDecoder().decode(data).length > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Whether {@code url} is one that can be fetched, or a data URL that can be read. */
  static boolean isUrl(String url) {
    int comma = url.indexOf(',');
    return url.startsWith(DATA)
        ? comma > 0
            && url.substring(0, comma).endsWith(";base64")
            && isBase64(url.substring(comma + 1))
        : url.startsWith("https://") || url.startsWith("http://");
  }

  /** Whether {@code text} is a JSON object. */
  static boolean isObject(String text) {
    try {
      return Json.read(text.getBytes(StandardCharsets.UTF_8)).isObject();
    } catch (JacksonException e) {
      return false;
    }
  }
}
