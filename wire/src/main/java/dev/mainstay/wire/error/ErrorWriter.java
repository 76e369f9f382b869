package dev.mainstay.wire.error;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.JsonStrings;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes an error in the client's dialect, so that its SDK raises the error type it has for it. The
 * provider's words are kept, with what looks like a key masked.
 */
public final class ErrorWriter {
  private static final byte[] NUMBER = "\"sequence_number\":".getBytes(StandardCharsets.US_ASCII);

  private ErrorWriter() {}

  /**
   * The body of an error answer.
   *
   * @param status the HTTP status it is sent with
   * @param error what the provider said, or this gateway says
   */
  public static byte[] body(Dialect dialect, int status, ProviderError error, MainstayNote note) {
    var out = new StringBuilder(512);
    switch (dialect) {
      case OPENAI_CHAT, OPENAI_RESPONSES -> openAi(out, status, error, note);
      case MISTRAL -> fields(out.append("{\"object\":\"error\","), status, error, note);
      case ANTHROPIC -> anthropic(out, status, error, note);
      case GEMINI -> gemini(out, status, error, note);
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The event that ends a stream which cannot be finished.
   *
   * @param delivered what the client has received of it, on whose events OpenAI Responses counts
   *     on; null where that is not known, and the event then has no number
   */
  public static byte[] event(
      Dialect dialect,
      int status,
      ProviderError error,
      MainstayNote note,
      byte @Nullable [] delivered) {
    var out = new StringBuilder(512);
    switch (dialect) {
      case ANTHROPIC -> anthropic(out.append("event: error\ndata: "), status, error, note);
      case OPENAI_RESPONSES ->
          responsesEvent(out.append("event: error\ndata: "), status, error, note, delivered);
      // Gemini's JS client skips a block that does not begin with "data:"; OpenAI's and Mistral's
      // raise on the field "error" in whatever event it comes.
      case OPENAI_CHAT, MISTRAL -> openAi(out.append("data: "), status, error, note);
      case GEMINI -> gemini(out.append("data: "), status, error, note);
    }
    return out.append("\n\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void openAi(
      StringBuilder out, int status, ProviderError error, MainstayNote note) {
    fields(out.append("{\"error\":{"), status, error, note);
    out.append('}');
  }

  /** The fields of an error of OpenAI's or Mistral's, and the brace behind them. */
  private static void fields(
      StringBuilder out, int status, ProviderError error, MainstayNote note) {
    JsonStrings.append(out.append("\"message\":"), message(error, status));
    JsonStrings.append(out.append(",\"type\":"), type(error.type(), openAiType(status)));
    text(out.append(",\"param\":"), error.param());
    text(out.append(",\"code\":"), error.code());
    note.append(out.append(",\"mainstay\":"));
    out.append('}');
  }

  private static void responsesEvent(
      StringBuilder out,
      int status,
      ProviderError error,
      MainstayNote note,
      byte @Nullable [] delivered) {
    // The documented event carries its fields at the top; the Python and Node clients raise on a
    // field "error" alone.
    out.append("{\"type\":\"error\",");
    if (delivered != null) {
      out.append("\"sequence_number\":").append(lastNumber(delivered) + 1).append(',');
    }
    out.append("\"code\":");
    text(out, error.code());
    out.append(",\"message\":");
    JsonStrings.append(out, message(error, status));
    text(out.append(",\"param\":"), error.param());
    fields(out.append(",\"error\":{"), status, error, note);
    out.append('}');
  }

  /** The number of the last event in {@code delivered} that has one, or -1. */
  private static long lastNumber(byte[] delivered) {
    // In a text, the quotes would be escaped.
    for (int at = delivered.length - NUMBER.length; at >= 0; at--) {
      if (Arrays.equals(delivered, at, at + NUMBER.length, NUMBER, 0, NUMBER.length)) {
        int end = at + NUMBER.length;
        while (end < delivered.length && delivered[end] == ' ') {
          end++;
        }
        long number = 0;
        int digits = 0;
        while (end < delivered.length && delivered[end] >= '0' && delivered[end] <= '9') {
          number = number * 10 + delivered[end++] - '0';
          digits++;
        }
        if (digits > 0 && digits < 19) {
          return number;
        }
      }
    }
    return -1;
  }

  private static void anthropic(
      StringBuilder out, int status, ProviderError error, MainstayNote note) {
    out.append("{\"type\":\"error\",\"error\":{\"type\":");
    JsonStrings.append(out, type(error.type(), anthropicType(status)));
    out.append(",\"message\":");
    JsonStrings.append(out, message(error, status));
    if (error.code() != null) {
      text(out.append(",\"code\":"), error.code());
    }
    note.append(out.append(",\"mainstay\":"));
    out.append("}}");
  }

  private static void gemini(
      StringBuilder out, int status, ProviderError error, MainstayNote note) {
    out.append("{\"error\":{\"code\":").append(status).append(",\"message\":");
    JsonStrings.append(out, message(error, status));
    out.append(",\"status\":");
    JsonStrings.append(out, type(error.type(), geminiStatus(status)));
    if (error.details() != null) {
      out.append(",\"details\":").append(Mask.keys(error.details()));
    }
    note.append(out.append(",\"mainstay\":"));
    out.append("}}");
  }

  private static String message(ProviderError error, int status) {
    var message = error.message();
    return message == null || message.isEmpty()
        ? "the provider answered with status " + status + " and no message"
        : Mask.keys(message);
  }

  private static String type(@Nullable String said, String usual) {
    return said == null ? usual : Mask.keys(said);
  }

  private static void text(StringBuilder out, @Nullable String value) {
    if (value == null) {
      out.append("null");
    } else {
      JsonStrings.append(out, Mask.keys(value));
    }
  }

  private static String openAiType(int status) {
    return switch (status) {
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 429 -> "rate_limit_error";
      default -> status < 500 ? "invalid_request_error" : "server_error";
    };
  }

  private static String anthropicType(int status) {
    return switch (status) {
      case 401 -> "authentication_error";
      case 402 -> "billing_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 413 -> "request_too_large";
      case 429 -> "rate_limit_error";
      case 504 -> "timeout_error";
      case 503, 529 -> "overloaded_error";
      default -> status < 500 ? "invalid_request_error" : "api_error";
    };
  }

  private static String geminiStatus(int status) {
    return switch (status) {
      case 401 -> "UNAUTHENTICATED";
      case 403 -> "PERMISSION_DENIED";
      case 404 -> "NOT_FOUND";
      case 409 -> "ABORTED";
      case 429 -> "RESOURCE_EXHAUSTED";
      case 499 -> "CANCELLED";
      case 501 -> "UNIMPLEMENTED";
      case 503 -> "UNAVAILABLE";
      case 504 -> "DEADLINE_EXCEEDED";
      default -> status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
    };
  }
}
