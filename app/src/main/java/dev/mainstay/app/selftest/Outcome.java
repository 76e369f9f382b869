package dev.mainstay.app.selftest;

import dev.mainstay.config.Config;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a trial ended.
 *
 * @param attempts upstream requests made for the call
 * @param protect which setting would have rescued it, or null
 */
record Outcome(
    Trial trial,
    Judgement judgement,
    ClientResult seen,
    int attempts,
    List<String> how,
    @Nullable String protect) {

  /** What is to be thought of it. */
  enum Judgement {
    /** The client got the whole answer. */
    RESCUED("rescued"),
    /** The client got a proper error, and nothing could have been done. */
    FAILED_CLEANLY("failed cleanly"),
    /** The client got a proper error, and a setting would have rescued it. */
    NOT_PROTECTED("not protected"),
    /**
     * The client got half an answer, or another one, as if it were whole: a bug of this gateway.
     */
    WRONG("WRONG");

    private final String label;

    Judgement(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  static Outcome of(
      Trial trial,
      Config config,
      ClientResult good,
      ClientResult seen,
      KeptCalls.@Nullable Kept kept) {
    int attempts = kept == null ? 0 : kept.attempts().size();
    List<String> how = kept == null ? List.of() : kept.call().recovery();
    if (seen.whole()) {
      if (SelftestClient.sameAnswer(good, seen)
          || trial.fault().kind().equals("invalid_tool_call") && !seen.text().isEmpty()) {
        return new Outcome(trial, Judgement.RESCUED, seen, attempts, how, null);
      }
      // A provider's refusal is a whole answer, in its dialect's own words.
      return seen.refused()
          ? unrescued(trial, config, seen, attempts, how)
          : new Outcome(trial, Judgement.WRONG, seen, attempts, how, null);
    }
    if (seen.error() == null || seen.status() == 0) {
      return new Outcome(trial, Judgement.WRONG, seen, attempts, how, null);
    }
    return unrescued(trial, config, seen, attempts, how);
  }

  private static Outcome unrescued(
      Trial trial, Config config, ClientResult seen, int attempts, List<String> how) {
    var protect = Advice.of(trial, config, seen.status() == 200);
    return new Outcome(
        trial,
        protect == null ? Judgement.FAILED_CLEANLY : Judgement.NOT_PROTECTED,
        seen,
        attempts,
        how,
        protect);
  }
}
