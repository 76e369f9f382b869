package dev.mainstay.core.classify;

import static dev.mainstay.core.verdict.FailureClass.FATAL;
import static dev.mainstay.core.verdict.FailureClass.LOGIC;
import static dev.mainstay.core.verdict.FailureClass.TRANSIENT;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import org.jspecify.annotations.Nullable;

/**
 * What a kind means where a rule does not say otherwise.
 *
 * @param retrySame whether another attempt at the same target can help
 * @param fallback whether another target could answer
 * @param repair what would make the next attempt differ, or null
 * @param alert whether a person must know: all FATAL except cancels, and LOGIC that nothing repairs
 */
public record KindDefaults(
    FailureClass failureClass,
    Blame blame,
    boolean retrySame,
    boolean fallback,
    @Nullable Repair repair,
    boolean alert) {

  /** What {@code kind} means where no rule says otherwise. */
  public static KindDefaults of(Kind kind) {
    return switch (kind) {
      case RATE_LIMIT -> again(Blame.KEY);
      case OVERLOADED,
          SERVER_ERROR,
          BAD_GATEWAY,
          TIMEOUT,
          STREAM_INTERRUPTED,
          STREAM_ERROR_EVENT,
          TRUNCATED_JSON,
          EMPTY_RESPONSE ->
          again(Blame.PROVIDER);
      case CONNECTION_RESET, CONNECTION_REFUSED, DNS -> again(Blame.NETWORK);
      case CLIENT_CLOSED ->
          new KindDefaults(TRANSIENT, Blame.GATEWAY, true, true, Repair.REFRESH_CLIENT, false);
      case CONFLICT -> new KindDefaults(TRANSIENT, Blame.CALLER, true, false, null, false);

      case AUTH, PERMISSION, BILLING, QUOTA_EXHAUSTED, BUDGET_EXCEEDED, PRECONDITION ->
          person(Blame.KEY);
      case REGION -> person(Blame.GATEWAY);
      case TLS -> person(Blame.NETWORK);
      case NOT_FOUND_MODEL, NOT_FOUND, NOT_IMPLEMENTED, OTHER -> person(Blame.CALLER);
      case SAFETY_REFUSAL -> new KindDefaults(LOGIC, Blame.CALLER, false, true, null, false);
      case CANCELLED -> new KindDefaults(FATAL, Blame.CALLER, false, false, null, false);

      case CONTEXT_LENGTH, PAYLOAD_TOO_LARGE -> mend(Blame.CALLER, Repair.TRIM_CONTEXT, true);
      case MAX_TOKENS_PARAM -> mend(Blame.CALLER, Repair.LOWER_MAX_TOKENS, true);
      case UNSUPPORTED_PARAMETER -> mend(Blame.CALLER, Repair.DROP_PARAMETER, true);
      case UNSUPPORTED_MODALITY_IMAGE, IMAGE_TOO_LARGE ->
          mend(Blame.CALLER, Repair.STRIP_IMAGES, true);
      case TOOL_HISTORY_MISMATCH -> mend(Blame.CALLER, Repair.FIX_TOOL_HISTORY, false);
      case CONTENT_FILTER -> new KindDefaults(LOGIC, Blame.CALLER, false, true, null, false);
      case INVALID_REQUEST, INVALID_TOOL_SCHEMA ->
          new KindDefaults(LOGIC, Blame.CALLER, false, true, null, true);

      case INVALID_TOOL_CALL, MODEL_BEHAVIOR, OUTPUT_PARSE ->
          new KindDefaults(LOGIC, Blame.MODEL, true, true, Repair.SELF_CORRECT, false);
    };
  }

  private static KindDefaults again(Blame blame) {
    return new KindDefaults(TRANSIENT, blame, true, true, null, false);
  }

  private static KindDefaults person(Blame blame) {
    return new KindDefaults(FATAL, blame, false, true, null, true);
  }

  private static KindDefaults mend(Blame blame, Repair repair, boolean fallback) {
    return new KindDefaults(LOGIC, blame, false, fallback, repair, false);
  }
}
