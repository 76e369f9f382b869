package dev.mainstay.wire.request;

import dev.mainstay.wire.json.JsonWalk;
import org.jspecify.annotations.Nullable;

/**
 * How much a request asks for, by the reading that asks for most. Providers differ where a field is
 * given twice (the first counts, or the last), beside another that means the same, with a fraction,
 * or as 0 and below, which some take for no limit.
 */
final class AnswerLimit {
  private long choices = 1;
  private long tokens;
  private boolean unlimited;
  private @Nullable String saidNull;
  private @Nullable String said;
  private @Nullable String unreadable;

  /** The number of answers comes next, as the value of {@code name}. */
  void choices(JsonWalk walk, String name) {
    switch (walk.kind()) {
      case NULL -> {}
      case NUMBER -> choices = Math.max(choices, walk.ceiling());
      default -> unreadable = name;
    }
  }

  /** The limit of one answer's tokens comes next, as the value of {@code name}. */
  void tokens(JsonWalk walk, String name) {
    switch (walk.kind()) {
      case NULL -> {
        // Beside a value of its own, either may count; beside another field's, it says nothing.
        unlimited |= name.equals(said);
        saidNull = name;
      }
      case NUMBER -> {
        long most = walk.ceiling();
        unlimited |= most <= 0 || name.equals(saidNull);
        tokens = Math.max(tokens, most);
        said = name;
      }
      default -> unreadable = name;
    }
  }

  /** A reading of the request sets no limit. */
  void none() {
    unlimited = true;
  }

  int choices() {
    return (int) Math.min(choices, Integer.MAX_VALUE);
  }

  @Nullable Long tokens() {
    return unlimited || tokens == 0 ? null : (Long) tokens;
  }

  @Nullable String unreadable() {
    return unreadable;
  }
}
