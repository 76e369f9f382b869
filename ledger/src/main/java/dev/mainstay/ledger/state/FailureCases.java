package dev.mainstay.ledger.state;

import dev.mainstay.ledger.run.CallRun;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Failures of one rule, provider and message as one case. Kept for 400 days after they were last
 * seen. Threads and failures as in {@link DurableState}.
 */
public interface FailureCases {
  /** Most cases that are kept: beyond it new ones are not. */
  int MOST = 10_000;

  /**
   * A case.
   *
   * @param id of its rule, provider and message
   * @param failure what its failures have in common
   * @param seen how often and when
   * @param closedAt when a person closed it, or null while it is open
   */
  record Case(String id, Failure failure, Occurrences seen, @Nullable Instant closedAt) {
    /** This case with a later failure of the same id: its target, its reason and its sightings. */
    public Case and(Case later) {
      return new Case(
          id,
          new Failure(
              failure.rule,
              failure.verdict,
              later.failure.target,
              failure.message,
              later.failure.reason),
          seen.and(later.seen),
          closedAt);
    }
  }

  /**
   * What the failures of a case have in common.
   *
   * @param rule that decided, or empty
   * @param verdict {@code CLASS/kind}
   * @param target that failed so last
   * @param message the shape of what was said: numbers and names left out
   * @param reason the decision's reason, last time
   */
  record Failure(String rule, String verdict, String target, String message, String reason) {
    /** The same without words of a provider. */
    public Failure withoutMessage() {
      return new Failure(rule, verdict, target, "", reason);
    }
  }

  /**
   * How often a case was seen, and when.
   *
   * @param count attempts that failed so
   * @param lastCall the last call
   */
  record Occurrences(long count, Instant firstSeen, Instant lastSeen, String lastCall) {
    /** One sighting. */
    public static Occurrences once(Instant at, String call) {
      return new Occurrences(1, at, at, call);
    }

    Occurrences and(Occurrences later) {
      return new Occurrences(count + later.count, firstSeen, later.lastSeen, later.lastCall);
    }
  }

  /** What a person wrote about a case. */
  record Note(Instant at, String by, String text) {}

  /** Adds what was seen: the counts of cases that are known grow. */
  CompletionStage<Integer> seen(List<Case> cases);

  /**
   * Cases, those seen last first.
   *
   * @param behind only those behind this place, by when they were last seen and their id; or null
   */
  CompletionStage<List<Case>> page(CallRun.@Nullable Place behind, int limit);

  /** A case in a list of one, or an empty list. */
  CompletionStage<List<Case>> find(String id);

  /** Closes a case, or opens it again where {@code at} is null; false where there is none. */
  CompletionStage<Boolean> close(String id, @Nullable Instant at);

  /** Adds a note; false where there is no such case. */
  CompletionStage<Boolean> note(String id, Note note);

  /** The notes of a case, the first first. */
  CompletionStage<List<Note>> notes(String id);
}
