package dev.mainstay.core.failure;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The canonical gRPC status codes and the HTTP status each maps to, as in google/rpc/code.proto
 * (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto).
 */
final class GrpcStatus {
  private static final Map<String, Integer> HTTP =
      Map.ofEntries(
          Map.entry("cancelled", 499),
          Map.entry("unknown", 500),
          Map.entry("invalid_argument", 400),
          Map.entry("deadline_exceeded", 504),
          Map.entry("not_found", 404),
          Map.entry("already_exists", 409),
          Map.entry("permission_denied", 403),
          Map.entry("unauthenticated", 401),
          Map.entry("resource_exhausted", 429),
          Map.entry("failed_precondition", 400),
          Map.entry("aborted", 409),
          Map.entry("out_of_range", 400),
          Map.entry("unimplemented", 501),
          Map.entry("internal", 500),
          Map.entry("unavailable", 503),
          Map.entry("data_loss", 500));

  /**
   * The spelling of Go's and C#'s clients; without "Unknown" and "Cancelled", which people write
   * too.
   */
  private static final Map<String, String> CAMEL =
      Map.ofEntries(
          Map.entry("ResourceExhausted", "resource_exhausted"),
          Map.entry("InvalidArgument", "invalid_argument"),
          Map.entry("DeadlineExceeded", "deadline_exceeded"),
          Map.entry("PermissionDenied", "permission_denied"),
          Map.entry("FailedPrecondition", "failed_precondition"),
          Map.entry("NotFound", "not_found"),
          Map.entry("Unauthenticated", "unauthenticated"),
          Map.entry("Unavailable", "unavailable"),
          Map.entry("Unimplemented", "unimplemented"),
          Map.entry("Internal", "internal"),
          Map.entry("Canceled", "cancelled"),
          Map.entry("Aborted", "aborted"));

  private static final Lexicon<String> WRITTEN = written();

  /** Names that are no ordinary words; the others count only behind a lead such as "status =". */
  private static final Set<String> UNMISTAKABLE =
      Set.of(
          "INVALID_ARGUMENT",
          "DEADLINE_EXCEEDED",
          "PERMISSION_DENIED",
          "UNAUTHENTICATED",
          "RESOURCE_EXHAUSTED",
          "FAILED_PRECONDITION",
          "OUT_OF_RANGE",
          "UNIMPLEMENTED",
          "UNAVAILABLE");

  private static final String[] LEADS = {
    "statuscode.", "status = ", "status=", "status: ", "status\": \"", "statusruntimeexception: ",
    "statusexception: ", "code = ", "code=", "statuscode=\"", "status(", "statuscode: "
  };

  private GrpcStatus() {}

  private static Lexicon<String> written() {
    var written = new HashMap<>(CAMEL);
    HTTP.keySet().forEach(name -> written.put(name.toUpperCase(Locale.ROOT), name));
    return Lexicon.exactly(written);
  }

  static Set<String> names() {
    return HTTP.keySet();
  }

  static @Nullable Integer http(String name) {
    return HTTP.get(name);
  }

  /** The first status named in {@code text}, or null. */
  static @Nullable String in(String text) {
    return WRITTEN.first(text, GrpcStatus::isMeant);
  }

  private static boolean isMeant(String text, int from, int to) {
    return isLed(text, from)
        || isAfterNumber(text, from)
        || UNMISTAKABLE.contains(text.substring(from, to));
  }

  private static boolean isLed(String text, int from) {
    for (var lead : LEADS) {
      if (from >= lead.length()
          && text.regionMatches(true, from - lead.length(), lead, 0, lead.length())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAfterNumber(String text, int from) {
    return from >= 4
        && text.charAt(from - 1) == ' '
        && StatusText.number(text, from - 4) >= 400
        && !Character.isLowerCase(text.charAt(from + 1));
  }
}
