package dev.mainstay.call.request;

import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.Edited;
import dev.mainstay.wire.repair.HistoryRepair;
import dev.mainstay.wire.repair.ImageRepair;
import dev.mainstay.wire.repair.MaxTokensRepair;
import dev.mainstay.wire.repair.ParameterRepair;
import dev.mainstay.wire.repair.SchemaRepair;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The repairs of a request, upon what its target said of it. */
final class RequestRepairs {
  /** What a 400 says that does not say why. */
  private static final Set<String> NO_REASON =
      Set.of("", "bad request", "invalid request", "400 bad request", "error", "unknown error");

  private RequestRepairs() {}

  static Optional<Edited> of(Repair repair, Dialect dialect, byte[] body, Failure failure) {
    var error = error(failure);
    return switch (repair) {
      case DROP_PARAMETER ->
          ParameterRepair.drop(dialect, body, error)
              .or(() -> SchemaRepair.loosen(dialect, body, error));
      case LOWER_MAX_TOKENS ->
          MaxTokensRepair.lower(dialect, body, error)
              .or(() -> ParameterRepair.drop(dialect, body, error));
      case STRIP_IMAGES -> ImageRepair.strip(dialect, body, error);
      case FIX_TOOL_HISTORY -> HistoryRepair.mend(dialect, body, error);
      // The gateway's client is never closed under a call; its keys are a pool; it never shortens a
      // client's conversation; and a model's mistake is told to it elsewhere.
      case REFRESH_CLIENT, REFRESH_CREDENTIALS, TRIM_CONTEXT, SELF_CORRECT -> Optional.empty();
    };
  }

  /**
   * {@code verdict} with a probe without images where a 400 does not say why and the request has
   * some: they are what most refusals without a reason turn out to be about.
   */
  static Verdict probing(Verdict verdict, Failure failure, Dialect dialect, byte[] body) {
    return verdict.repair() == null
            && (verdict.kind() == Kind.INVALID_REQUEST || verdict.kind() == Kind.OTHER)
            && failure instanceof Failure.Reply reply
            && reply.status() != null
            && (reply.status() == 400 || reply.status() == 422)
            && saysNothing(failure)
            && ImageRepair.count(dialect, body) > 0
        ? KnownVerdicts.perhapsImages(verdict)
        : verdict;
  }

  /**
   * {@code verdict} with a repair where a provider refuses a tool's schema for keywords that it
   * names and that can be done without.
   */
  static Verdict loosening(Verdict verdict, Failure failure, Dialect dialect, byte[] body) {
    return verdict.repair() == null
            && verdict.failureClass() == FailureClass.LOGIC
            && verdict.kind() == Kind.INVALID_TOOL_SCHEMA
            && SchemaRepair.loosen(dialect, body, error(failure)).isPresent()
        ? KnownVerdicts.looserSchema(verdict)
        : verdict;
  }

  private static boolean saysNothing(Failure failure) {
    var words = ErrorMapper.words(failure);
    return words == null
        || NO_REASON.contains(words.strip().replaceAll("[.!]$", "").toLowerCase(Locale.ROOT));
  }

  private static String error(Failure failure) {
    return switch (failure) {
      case Failure.Reply reply -> reply.body();
      case Failure.Stream stream -> stream.event() == null ? "" : stream.event();
      case Failure.Thrown thrown -> thrown.body() == null ? thrown.text() : thrown.body();
    };
  }
}
