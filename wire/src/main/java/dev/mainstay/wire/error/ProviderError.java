package dev.mainstay.wire.error;

import dev.mainstay.wire.json.Json;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * What a provider said went wrong, in whichever of the usual shapes: {@code {"error": {…}}}, {@code
 * {"error": "text"}}, {@code {"message": …}}, {@code {"detail": …}}, a list with one of these in
 * it. Every field may be missing.
 *
 * @param message in the provider's words, not masked yet
 * @param type its type ({@code rate_limit_error}), or Gemini's status ({@code RESOURCE_EXHAUSTED})
 * @param code its code, as text
 * @param param the parameter at fault
 * @param details Gemini's {@code details}, as JSON
 */
public record ProviderError(
    @Nullable String message,
    @Nullable String type,
    @Nullable String code,
    @Nullable String param,
    @Nullable String details) {

  /** Nothing known. */
  public static final ProviderError NONE = new ProviderError(null, null, null, null, null);

  /** A longer text than this is a page rather than a message. */
  private static final int MAX_TEXT = 2000;

  /** An error of this gateway's own. */
  public static ProviderError of(String message, String type, @Nullable String code) {
    return new ProviderError(message, type, code, null, null);
  }

  /** Reads {@code body}. Never throws on what a provider sent. */
  public static ProviderError read(String body) {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    var reader = new Reader(bytes);
    try (var p = Json.parser(bytes)) {
      if (p.nextToken() == JsonToken.START_ARRAY) {
        p.nextToken();
      }
      if (p.currentToken() == JsonToken.START_OBJECT) {
        Json.fields(p, reader::top);
      }
    } catch (JacksonException e) {
      // Cut or not JSON: what was read so far stands, and a short plain text is a message.
      if (reader.empty()) {
        var text = body.strip();
        return text.isEmpty() || text.length() > MAX_TEXT || text.startsWith("<")
            ? NONE
            : new ProviderError(text, null, null, null, null);
      }
    }
    return reader.error();
  }

  private static final class Reader {
    private final byte[] bytes;
    private @Nullable String message;
    private @Nullable String type;
    private @Nullable String code;
    private @Nullable String param;
    private @Nullable String status;
    private @Nullable String details;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean empty() {
      return message == null && type == null && code == null;
    }

    void top(String name, JsonParser p) {
      switch (name) {
        case "error" -> {
          if (p.currentToken() == JsonToken.VALUE_STRING) {
            message = p.getString();
          } else {
            Json.fields(p, this::inner);
          }
        }
        case "response" ->
            // A Responses stream wraps its error in the response it failed.
            Json.fields(
                p,
                (field, value) -> {
                  if (field.equals("error")) {
                    Json.fields(value, this::inner);
                  }
                });
        case "type" -> {
          var said = Json.string(p);
          if (type == null
              && said != null
              && !said.equals("error")
              && !said.startsWith("response.")) type = said;
        }
        case "message", "msg", "detail" -> {
          if (message == null) {
            message = text(p);
          }
        }
        case "code", "error_code" -> code = code == null ? scalar(p) : code;
        case "param" -> param = param == null ? scalar(p) : param;
        default -> {}
      }
    }

    private void inner(String name, JsonParser p) {
      switch (name) {
        case "message" -> message = text(p);
        case "type" -> type = scalar(p);
        case "code" -> code = scalar(p);
        case "param" -> param = scalar(p);
        case "status" -> status = Json.string(p);
        case "details" -> {
          int start = Json.start(p);
          details = new String(bytes, start, Json.end(p) - start, StandardCharsets.UTF_8);
        }
        default -> {}
      }
    }

    private @Nullable String text(JsonParser p) {
      if (p.currentToken() == JsonToken.VALUE_STRING) {
        return p.getString();
      }
      if (p.currentToken() == JsonToken.VALUE_NULL) {
        return null;
      }
      int start = Json.start(p);
      return new String(bytes, start, Json.end(p) - start, StandardCharsets.UTF_8);
    }

    private static @Nullable String scalar(JsonParser p) {
      return p.currentToken() != JsonToken.VALUE_NULL && p.currentToken().isScalarValue()
          ? p.getString()
          : null;
    }

    ProviderError error() {
      return new ProviderError(message, type != null ? type : status, code, param, details);
    }
  }
}
