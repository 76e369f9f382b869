package dev.mainstay.core.verdict;

import java.util.Locale;

/** The kinds of failure, each with one meaning whatever provider it came from. */
public enum Kind {
  RATE_LIMIT,
  QUOTA_EXHAUSTED,
  OVERLOADED,
  SERVER_ERROR,
  BAD_GATEWAY,
  TIMEOUT,
  CONNECTION_RESET,
  CONNECTION_REFUSED,
  DNS,
  TLS,
  CLIENT_CLOSED,
  STREAM_INTERRUPTED,
  STREAM_ERROR_EVENT,
  TRUNCATED_JSON,
  EMPTY_RESPONSE,
  AUTH,
  PERMISSION,
  BILLING,
  NOT_FOUND_MODEL,
  NOT_FOUND,
  CONTEXT_LENGTH,
  MAX_TOKENS_PARAM,
  CONTENT_FILTER,
  INVALID_REQUEST,
  INVALID_TOOL_SCHEMA,
  INVALID_TOOL_CALL,
  TOOL_HISTORY_MISMATCH,
  UNSUPPORTED_PARAMETER,
  UNSUPPORTED_MODALITY_IMAGE,
  IMAGE_TOO_LARGE,
  PAYLOAD_TOO_LARGE,
  MODEL_BEHAVIOR,
  OUTPUT_PARSE,
  REGION,
  SAFETY_REFUSAL,
  CONFLICT,
  PRECONDITION,
  NOT_IMPLEMENTED,
  CANCELLED,
  BUDGET_EXCEEDED,
  OTHER;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** The name in JSON, for example {@code rate_limit}. */
  public String wireName() {
    return wireName;
  }

  /**
   * The constant that {@code wireName} names.
   *
   * @throws IllegalArgumentException where none has that name
   */
  public static Kind of(String wireName) {
    return valueOf(wireName.toUpperCase(Locale.ROOT));
  }
}
