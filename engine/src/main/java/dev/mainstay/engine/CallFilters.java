package dev.mainstay.engine;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.ledger.CallQuery.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The values that filters on calls take, in lists of calls and in lists of runs. */
public final class CallFilters {
  private static final List<String> CLASSES = List.of("TRANSIENT", "LOGIC", "FATAL");
  private static final List<String> KINDS =
      Arrays.stream(Kind.values()).map(kind -> kind.name().toLowerCase(Locale.ROOT)).toList();
  private static final String REPAIR = "repair:";
  private static final List<String> RECOVERIES =
      List.of("retry", "fallback", "continuation", "repair", "replay", REPAIR + "NAME");

  private CallFilters() {}

  /** What {@code field} can be, in the words of an API; empty where it can be anything. */
  public static List<String> allowed(Field field) {
    return switch (field) {
      case CLASS -> CLASSES;
      case KIND -> KINDS;
      case STATUS -> List.of("100 to 599");
      case RECOVERY -> RECOVERIES;
      case RUN, CLIENT, MODEL, TARGET -> List.of();
    };
  }

  /** {@code value} as the ledger has it, or null where {@code field} is never that. */
  public static @Nullable String read(Field field, String value) {
    return switch (field) {
      case CLASS -> oneOf(CLASSES, value.toUpperCase(Locale.ROOT));
      case KIND -> oneOf(KINDS, value);
      case STATUS -> value.matches("[1-5]\\d\\d") ? value : null;
      case RECOVERY -> value.startsWith(REPAIR) ? value : oneOf(RECOVERIES, value);
      case RUN, CLIENT, MODEL, TARGET -> value;
    };
  }

  private static @Nullable String oneOf(List<String> allowed, String value) {
    return allowed.contains(value) ? value : null;
  }
}
