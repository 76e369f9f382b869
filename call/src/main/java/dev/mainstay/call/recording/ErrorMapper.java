package dev.mainstay.call.recording;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.wire.error.Mask;
import dev.mainstay.wire.error.ProviderError;
import dev.mainstay.wire.json.JsonStrings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a failure is told to the caller: with which status, in whose words, and what to do next. */
public final class ErrorMapper {
  private static final int MOST_IN_RECORD = 4096;
  private static final int PROXY_LOGIN = 407;

  private ErrorMapper() {}

  /**
   * Whether a proxy between here and the provider wants its own login, or opens no tunnel: nothing
   * of that is about the client's key or came from the provider (RFC 9110, 15.5.8).
   */
  private static boolean proxys(Failure failure, Verdict verdict) {
    return switch (failure) {
      case Failure.Reply reply -> reply.status() != null && reply.status() == PROXY_LOGIN;
      case Failure.Thrown _ ->
          verdict.blame() == Blame.GATEWAY
              && (verdict.kind() == Kind.AUTH || verdict.kind() == Kind.PERMISSION);
      case Failure.Stream _ -> false;
    };
  }

  /**
   * The provider's own status where it is an error's, else the one that fits the kind; 502 for what
   * a proxy on the way refused.
   */
  public static int status(Failure failure, Verdict verdict) {
    if (proxys(failure, verdict)) {
      return 502;
    }
    Integer said =
        switch (failure) {
          case Failure.Reply reply -> reply.status();
          case Failure.Thrown thrown -> thrown.status();
          case Failure.Stream _ -> null;
        };
    return said != null && said >= 400 && said <= 599 ? said : status(verdict.kind());
  }

  public static int status(Kind kind) {
    return switch (kind) {
      case RATE_LIMIT, QUOTA_EXHAUSTED, BUDGET_EXCEEDED -> 429;
      case OVERLOADED -> 503;
      case TIMEOUT -> 504;
      case AUTH -> 401;
      case BILLING -> 402;
      case PERMISSION, REGION -> 403;
      case NOT_FOUND, NOT_FOUND_MODEL -> 404;
      case CONFLICT -> 409;
      case PRECONDITION -> 412;
      case PAYLOAD_TOO_LARGE -> 413;
      case NOT_IMPLEMENTED -> 501;
      case CANCELLED -> 499;
      case SERVER_ERROR, OTHER -> 500;
      case BAD_GATEWAY,
          CONNECTION_RESET,
          CONNECTION_REFUSED,
          DNS,
          TLS,
          CLIENT_CLOSED,
          STREAM_INTERRUPTED,
          STREAM_ERROR_EVENT,
          TRUNCATED_JSON,
          EMPTY_RESPONSE,
          MODEL_BEHAVIOR,
          OUTPUT_PARSE,
          INVALID_TOOL_CALL ->
          502;
      case CONTEXT_LENGTH,
          MAX_TOKENS_PARAM,
          CONTENT_FILTER,
          INVALID_REQUEST,
          INVALID_TOOL_SCHEMA,
          TOOL_HISTORY_MISMATCH,
          UNSUPPORTED_PARAMETER,
          UNSUPPORTED_MODALITY_IMAGE,
          IMAGE_TOO_LARGE,
          SAFETY_REFUSAL ->
          400;
    };
  }

  private static ProviderError said(Failure failure) {
    return switch (failure) {
      case Failure.Reply reply -> ProviderError.read(reply.body());
      case Failure.Stream stream ->
          stream.event() != null && stream.ending() == Failure.StreamEnding.ERROR_EVENT
              ? ProviderError.read(stream.event())
              : ProviderError.NONE;
      case Failure.Thrown thrown ->
          thrown.body() == null ? ProviderError.NONE : ProviderError.read(thrown.body());
    };
  }

  /** The provider's words where there are any, else the verdict's. */
  public static ProviderError error(Failure failure, Verdict verdict) {
    var said = proxys(failure, verdict) ? ProviderError.NONE : said(failure);
    if (said.message() != null) {
      return said;
    }
    return new ProviderError(
        verdict.because(),
        said.type(),
        said.code() != null ? said.code() : verdict.kind().wireName(),
        said.param(),
        said.details());
  }

  /** The provider's own words, or null. */
  public static @Nullable String words(Failure failure) {
    return said(failure).message();
  }

  /**
   * How long a caller is told to wait with a 429 or 503, where {@code told} says nothing: a second
   * for what passes by itself, an hour for what a person has to mend.
   */
  public static Duration retryAfter(@Nullable Duration told, Verdict verdict) {
    if (told != null) {
      return told;
    }
    if (verdict.retryAfter() != null) {
      return verdict.retryAfter();
    }
    return verdict.failureClass() == FailureClass.TRANSIENT
        ? Duration.ofSeconds(1)
        : Duration.ofHours(1);
  }

  /** What the caller can do about it, in one sentence. */
  public static String nextStep(Verdict verdict) {
    if (verdict.kind() == Kind.BUDGET_EXCEEDED && verdict.rule().equals("gateway")) {
      return "Wait for the time in retry-after.";
    }
    return switch (verdict.blame()) {
      case CALLER -> "Change the request. The same request would fail again.";
      case GATEWAY -> "Check the gateway's configuration and log.";
      case KEY ->
          verdict.failureClass() == FailureClass.TRANSIENT
              ? "Wait for the time in retry-after, or add a key or a target."
              : "Check your account at the provider: its key, its credit, its permissions.";
      case MODEL -> "Try again, or choose another model.";
      case PROVIDER ->
          verdict.failureClass() == FailureClass.TRANSIENT
              ? "Try again later, or add a target at another provider."
              : "Read the provider's message. A retry does not help.";
      case NETWORK ->
          "Check the connection to the provider: address, DNS name, proxy, certificates.";
    };
  }

  /**
   * The facts as one JSON object for the record, keys masked.
   *
   * @param words whether what the provider wrote may be kept; else only how long it was
   */
  public static String facts(Failure failure, boolean words) {
    var out = new StringBuilder(256);
    switch (failure) {
      case Failure.Reply reply -> {
        out.append("{\"where\":\"http\",\"status\":").append(reply.status()).append(",\"body\":");
        text(out, reply.body(), words);
      }
      case Failure.Stream stream -> {
        out.append("{\"where\":\"stream\",\"arrived\":");
        JsonStrings.append(out, lower(stream.arrived()));
        out.append(",\"ending\":");
        JsonStrings.append(out, lower(stream.ending()));
        out.append(",\"event\":");
        text(out, stream.event(), words);
      }
      case Failure.Thrown thrown -> {
        out.append("{\"where\":\"transport\",\"message\":");
        text(out, thrown.text(), true);
      }
    }
    return out.append('}').toString();
  }

  private static void text(StringBuilder out, @Nullable String text, boolean words) {
    if (text == null) {
      out.append("null");
    } else if (!words) {
      out.append("null,\"length\":").append(text.length());
    } else {
      JsonStrings.append(
          out,
          Mask.keys(text.length() > MOST_IN_RECORD ? text.substring(0, MOST_IN_RECORD) : text));
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(java.util.Locale.ROOT);
  }
}
