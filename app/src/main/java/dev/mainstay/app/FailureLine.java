package dev.mainstay.app;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonFactory;

/**
 * One line of {@code classify}: a failure as JSON, or the JSON that a provider answered with.
 *
 * @param id as it was given, as JSON; null where there is none
 */
record FailureLine(@Nullable String id, Facts facts) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int SHOWN = 40;
  private static final Set<String> DESCRIBING =
      Set.of("id", "provider", "where", "status", "headers", "body");

  /** A line that is no failure; the message says what was found and what is allowed. */
  static final class BadLine extends Exception {
    private static final long serialVersionUID = 1;
    private final @Nullable String id;

    BadLine(String problem, @Nullable String id) {
      super(problem);
      this.id = id;
    }

    @Nullable String id() {
      return id;
    }
  }

  static FailureLine parse(byte[] bytes, int length) throws BadLine {
    int from = length >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB ? 3 : 0;
    var reading = new Reading();
    try (var json = JSON.createParser(bytes, from, length - from)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw reading.bad("expected a JSON object, found " + found(json));
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        var name = json.currentName();
        json.nextToken();
        reading.field(name, json);
      }
      if (json.nextToken() != null) {
        throw reading.bad("expected one JSON object on the line, found more after it");
      }
    } catch (JacksonException broken) {
      var at = broken.getLocation();
      throw reading.bad(
          "not valid JSON"
              + (at == null ? "" : " at column " + at.getColumnNr())
              + ": "
              + firstLine(broken.getOriginalMessage()));
    }
    return reading.isBareBody()
        ? new FailureLine(
            null,
            PastedFailure.facts(new String(bytes, from, length - from, StandardCharsets.UTF_8)))
        : reading.line();
  }

  /** What has been read of a line. */
  private static final class Reading {
    private @Nullable String id;
    private @Nullable String provider;
    private @Nullable Where where;
    private @Nullable Integer status;
    private Headers headers = Headers.none();
    private @Nullable String body;
    private @Nullable String message;
    private boolean described;
    private boolean foreign;

    /** Whether the object is a provider's answer as it came, and no description of a failure. */
    boolean isBareBody() {
      return foreign && !described;
    }

    BadLine bad(String problem) {
      return new BadLine(problem, id);
    }

    void field(String name, JsonParser json) throws BadLine {
      // Answers have a message, too: Mistral's {"object": "error", "message": …, "code": …}.
      described |= DESCRIBING.contains(name);
      if (json.currentToken() == JsonToken.VALUE_NULL) {
        return;
      }
      switch (name) {
        case "id" -> id = raw(json);
        case "provider" -> provider = string(name, json);
        case "where" -> where = where(string(name, json));
        case "status" -> status = status(json);
        case "headers" -> headers = headers(json);
        case "body" -> body = text(json);
        case "message" -> message = text(json);
        default -> {
          foreign = true;
          json.skipChildren();
        }
      }
    }

    FailureLine line() {
      var observed = where;
      if (observed == null) {
        observed = message == null && (body != null || status != null) ? Where.HTTP : Where.CLIENT;
      }
      return new FailureLine(
          id, new Facts(provider, observed, status, headers, body, message, null));
    }

    private String string(String name, JsonParser json) throws BadLine {
      if (json.currentToken() != JsonToken.VALUE_STRING) {
        throw bad(name + ": expected a string, found " + found(json));
      }
      return json.getString();
    }

    private Where where(String name) throws BadLine {
      for (var known : Where.values()) {
        if (known.wireName().equals(name.strip().toLowerCase(Locale.ROOT))) {
          return known;
        }
      }
      throw bad(
          "where: '" + cut(name) + "' is not allowed; allowed are http, stream, transport, client");
    }

    private Integer status(JsonParser json) throws BadLine {
      var token = json.currentToken();
      if (token == JsonToken.VALUE_NUMBER_INT) {
        long number =
            json.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? -1 : json.getLongValue();
        if (number >= 0 && number <= 999) {
          return (int) number;
        }
      } else if (token == JsonToken.VALUE_STRING && json.getString().matches("\\d{3}")) {
        return Integer.valueOf(json.getString());
      }
      throw bad("status: expected a whole number from 0 to 999 or null, found " + found(json));
    }

    private Headers headers(JsonParser json) throws BadLine {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw bad("headers: expected an object, found " + found(json));
      }
      Map<String, String> values = new HashMap<>();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        var name = json.currentName();
        var token = json.nextToken();
        if (token == JsonToken.START_ARRAY) {
          token = json.nextToken();
          if (token != null && token.isScalarValue() && token != JsonToken.VALUE_NULL) {
            values.put(name, json.getValueAsString(""));
          }
          while (token != null && token != JsonToken.END_ARRAY) {
            json.skipChildren();
            token = json.nextToken();
          }
        } else if (token == JsonToken.START_OBJECT) {
          throw bad("headers: expected a string or a list of strings, found an object");
        } else if (token != JsonToken.VALUE_NULL) {
          values.put(name, json.getValueAsString(""));
        }
      }
      return new Headers(values);
    }

    /** A string, or a body that was put into the line as JSON. */
    private static String text(JsonParser json) {
      return json.currentToken() == JsonToken.VALUE_STRING ? json.getString() : raw(json);
    }

    private static String raw(JsonParser json) {
      var out = new StringWriter();
      try (var copy = JSON.createGenerator(out)) {
        copy.copyCurrentStructure(json);
      }
      return out.toString();
    }
  }

  private static String found(JsonParser json) {
    var token = json.currentToken();
    if (token == null) {
      return "nothing";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "the string '" + cut(json.getString()) + "'";
      case VALUE_NULL -> "null";
      default -> cut(String.valueOf(json.getString()));
    };
  }

  private static String cut(String text) {
    return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
  }

  private static String firstLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
