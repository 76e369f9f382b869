package dev.mainstay.core.classify;

import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The order in which evidence decides. Every rule of a stage, whatever its table, is asked before
 * any rule of the next; within a stage the tables are asked in their order, and a table's rules in
 * theirs. A rule's stage follows from what it asks for and what it concludes.
 */
enum Stage {
  /** Who ended it: the caller, a client that was closed, the protocol's own ending. */
  ENDED,
  /**
   * What a table knows: the provider's codes, types and statuses, and the words that refine them.
   */
  KNOWN,
  /** Broad names and guesses from words, where they name a lasting cause. */
  LASTING,
  /** Broad names, headlines and guesses from words, where they let hope. */
  PASSING,
  /** What says no more than a status does. */
  STATUS;

  /** Shapes that are proof by themselves: numbers, not words. */
  private static final Set<String> PROOF = Set.of("over-limit");

  /** Names that say no more than a status does: words refine them. */
  private static final Set<String> BROAD =
      Set.of(
          "accessdenied",
          "api_error",
          "authentication_error",
          "failed_precondition",
          "insufficient_quota",
          "internal",
          "invalid_argument",
          "invalid_prompt",
          "invalid_request_error",
          "not_found",
          "not_found_error",
          "overloaded_error",
          "permission_denied",
          "permission_error",
          "rate_limit_error",
          "resource_exhausted",
          "unauthenticated",
          "unavailable");

  static Stage of(Rule rule) {
    var when = rule.when();
    if (rule.weak()) {
      if (when.matches().isEmpty() && !when.names().given()
          || rule.then().kind() == Kind.INVALID_REQUEST) {
        return STATUS;
      }
      return rule.then().failureClass() == FailureClass.TRANSIENT ? PASSING : LASTING;
    }
    return switch (rule.then().kind()) {
      case CANCELLED, CLIENT_CLOSED -> ENDED;
      default -> when.ending().isEmpty() && when.headers().isEmpty() ? KNOWN : ENDED;
    };
  }

  /**
   * Whether {@code rule} asks for a name of its own for a lasting cause. Where one stands, no rule
   * that lets hope is believed, whichever comes first and whatever wraps the name.
   */
  static boolean namesCause(Rule rule) {
    var when = rule.when();
    var then = rule.then();
    return then.failureClass() != FailureClass.TRANSIENT
        && !then.retrySame()
        && !rule.weak()
        && (Stream.of(when.names().code(), when.names().type(), when.names().finish())
                .anyMatch(Stage::isOfItsOwn)
            || when.names().shape().isExact() && PROOF.containsAll(when.names().shape().exact()));
  }

  private static boolean isOfItsOwn(NamePatterns names) {
    return names.isExact()
        && names.exact().stream().noneMatch(name -> name.length() == 3 || BROAD.contains(name));
  }
}
