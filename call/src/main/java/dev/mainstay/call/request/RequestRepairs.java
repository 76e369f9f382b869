package dev.mainstay.call.request;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.EditedRequest;
import dev.mainstay.wire.repair.HistoryRepair;
import dev.mainstay.wire.repair.ImageRepair;
import dev.mainstay.wire.repair.MaxTokensRepair;
import dev.mainstay.wire.repair.ParameterRepair;
import dev.mainstay.wire.repair.SchemaRepair;
import java.util.Optional;

/** The repairs of a request, upon what its target said of it. */
final class RequestRepairs {
  private RequestRepairs() {}

  static Optional<EditedRequest> of(Repair repair, Dialect dialect, byte[] body, Failure failure) {
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

  /** Whether a tool's schema can do without the keywords that a provider refuses it for. */
  static boolean hasLooserSchema(Dialect dialect, byte[] body, Failure failure) {
    return SchemaRepair.loosen(dialect, body, error(failure)).isPresent();
  }

  private static String error(Failure failure) {
    return switch (failure) {
      case Failure.Reply reply -> reply.body();
      case Failure.Stream stream -> stream.event() == null ? "" : stream.event();
      case Failure.Thrown thrown -> thrown.body() == null ? thrown.text() : thrown.body();
    };
  }
}
