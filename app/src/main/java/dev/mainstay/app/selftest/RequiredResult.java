package dev.mainstay.app.selftest;

import dev.mainstay.app.selftest.Outcome.Judgement;

/** What every fault of a self-test must come to: {@code --require}. */
enum RequiredResult {
  /** The client gets the whole answer. */
  RESCUED,
  /** The client gets the whole answer, or a proper error that no setting would have spared it. */
  CLEAN;

  boolean isMetBy(Judgement judgement) {
    return switch (judgement) {
      case RESCUED -> true;
      case FAILED_CLEANLY -> this == CLEAN;
      case NOT_PROTECTED, WRONG -> false;
    };
  }
}
