package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;

/**
 * Where each kind of failure stands on the two ladders. A ladder only narrows: what a verdict rules
 * out (a FATAL on its target, a request that any provider would reject) no rung allows.
 *
 * <pre>
 * kinds                                                             retry.on      fallback.on
 * connection_refused connection_reset dns tls bad_gateway
 *   server_error client_closed                                      availability  availability
 * rate_limit overloaded                                             capacity      capacity
 * timeout stream_interrupted stream_error_event truncated_json
 *   empty_response conflict cancelled                               transient     availability
 * auth permission billing quota_exhausted budget_exceeded
 *   not_found_model not_found region precondition                   transient     access
 * context_length max_tokens_param payload_too_large
 *   image_too_large unsupported_modality_image
 *   unsupported_parameter not_implemented                           transient     context
 * content_filter safety_refusal                                     transient     any, and only with content-filter-fallback
 * invalid_request invalid_tool_schema tool_history_mismatch other   transient     any
 * invalid_tool_call model_behavior output_parse                     any           any
 * </pre>
 *
 * <p>The retry column counts only where the verdict is TRANSIENT (a key that a provider is slow to
 * activate, say) or is the model's own bad answer.
 */
final class Ladder {
  private Ladder() {}

  /** Whether {@code retry.on} includes {@code kind}. */
  static boolean retries(Policy policy, Kind kind) {
    return policy.retry().on().compareTo(retryRung(kind)) >= 0;
  }

  /** Whether {@code fallback.on} includes {@code kind}. */
  static boolean fallsBack(Policy policy, Kind kind) {
    return policy.fallback().on().compareTo(fallbackRung(kind)) >= 0;
  }

  /** Whether the policy and the verdict let another target be asked. */
  static boolean fallsBack(Policy policy, Verdict verdict) {
    return switch (verdict.kind()) {
      case CONTENT_FILTER, SAFETY_REFUSAL ->
          verdict.fallback()
              && policy.contentFilterFallback()
              && policy.fallback().on() != FallbackOn.OFF;
      default -> verdict.fallback() && fallsBack(policy, verdict.kind());
    };
  }

  /** The lowest rung of {@code retry.on} that includes {@code kind}. */
  static RetryOn retryRung(Kind kind) {
    return switch (kind) {
      case CONNECTION_REFUSED,
          CONNECTION_RESET,
          DNS,
          TLS,
          BAD_GATEWAY,
          SERVER_ERROR,
          CLIENT_CLOSED ->
          RetryOn.AVAILABILITY;
      case RATE_LIMIT, OVERLOADED -> RetryOn.CAPACITY;
      case TIMEOUT,
          STREAM_INTERRUPTED,
          STREAM_ERROR_EVENT,
          TRUNCATED_JSON,
          EMPTY_RESPONSE,
          CONFLICT,
          CANCELLED,
          AUTH,
          PERMISSION,
          BILLING,
          QUOTA_EXHAUSTED,
          BUDGET_EXCEEDED,
          NOT_FOUND_MODEL,
          NOT_FOUND,
          REGION,
          PRECONDITION,
          CONTEXT_LENGTH,
          MAX_TOKENS_PARAM,
          PAYLOAD_TOO_LARGE,
          IMAGE_TOO_LARGE,
          UNSUPPORTED_MODALITY_IMAGE,
          UNSUPPORTED_PARAMETER,
          NOT_IMPLEMENTED,
          CONTENT_FILTER,
          SAFETY_REFUSAL,
          INVALID_REQUEST,
          INVALID_TOOL_SCHEMA,
          TOOL_HISTORY_MISMATCH,
          OTHER ->
          RetryOn.TRANSIENT;
      case INVALID_TOOL_CALL, MODEL_BEHAVIOR, OUTPUT_PARSE -> RetryOn.ANY;
    };
  }

  /** The lowest rung of {@code fallback.on} that includes {@code kind}. */
  static FallbackOn fallbackRung(Kind kind) {
    return switch (kind) {
      case CONNECTION_REFUSED,
          CONNECTION_RESET,
          DNS,
          TLS,
          BAD_GATEWAY,
          SERVER_ERROR,
          CLIENT_CLOSED,
          TIMEOUT,
          STREAM_INTERRUPTED,
          STREAM_ERROR_EVENT,
          TRUNCATED_JSON,
          EMPTY_RESPONSE,
          CONFLICT,
          CANCELLED ->
          FallbackOn.AVAILABILITY;
      case RATE_LIMIT, OVERLOADED -> FallbackOn.CAPACITY;
      case AUTH,
          PERMISSION,
          BILLING,
          QUOTA_EXHAUSTED,
          BUDGET_EXCEEDED,
          NOT_FOUND_MODEL,
          NOT_FOUND,
          REGION,
          PRECONDITION ->
          FallbackOn.ACCESS;
      case CONTEXT_LENGTH,
          MAX_TOKENS_PARAM,
          PAYLOAD_TOO_LARGE,
          IMAGE_TOO_LARGE,
          UNSUPPORTED_MODALITY_IMAGE,
          UNSUPPORTED_PARAMETER,
          NOT_IMPLEMENTED ->
          FallbackOn.CONTEXT;
      case CONTENT_FILTER,
          SAFETY_REFUSAL,
          INVALID_REQUEST,
          INVALID_TOOL_SCHEMA,
          TOOL_HISTORY_MISMATCH,
          OTHER,
          INVALID_TOOL_CALL,
          MODEL_BEHAVIOR,
          OUTPUT_PARSE ->
          FallbackOn.ANY;
    };
  }
}
