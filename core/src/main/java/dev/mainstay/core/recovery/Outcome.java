package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.util.Objects;

/** What became of the last decision, as the call's owner reports it to {@link Recovery#next}. */
public sealed interface Outcome {

  /** The attempt ended well: with a whole answer, or with its protocol's own ending. */
  record Answered() implements Outcome {
    static final Answered INSTANCE = new Answered();
  }

  /**
   * The attempt failed.
   *
   * @param verdict what the facts mean
   * @param stage what the client has received so far
   * @param continuable whether this answer can be gone on with after the commit point; false where
   *     that would not be safe (several choices, log probabilities, thinking without its
   *     signature). Before the commit point it does not matter.
   */
  record Failed(Verdict verdict, Stage stage, boolean continuable) implements Outcome {
    public Failed {
      Objects.requireNonNull(verdict, "verdict");
      Objects.requireNonNull(stage, "stage");
    }

    /** Before the commit point. */
    public Failed(Verdict verdict) {
      this(verdict, Stage.NOTHING, true);
    }

    /** Whether an answer had begun: an attempt upon it is a restart. */
    boolean streamBroke() {
      return stage.committed()
          || verdict.kind() == Kind.STREAM_INTERRUPTED
          || verdict.kind() == Kind.STREAM_ERROR_EVENT;
    }
  }

  /**
   * The attempt was not made: the breaker was open, there was no key or no slot. It costs no
   * attempt and is no failure.
   */
  record Refused(Availability why) implements Outcome {
    public Refused {
      if (why instanceof Availability.Ready) {
        throw new IllegalArgumentException("why: a target that is ready did not refuse");
      }
    }
  }

  /** The client left, before, during or after an attempt. */
  record Cancelled() implements Outcome {
    static final Cancelled INSTANCE = new Cancelled();
  }

  /**
   * The repair of the last {@link Decision.RetryRepaired} is done; answered with {@link
   * Decision.Proceed} or {@link Decision.Continue} where it was progress.
   *
   * @param before the size before, in a unit of the owner's choice (tokens, images, the parameter's
   *     value)
   * @param after the size after; where {@link Repair#shrinks}, it must be smaller than it has ever
   *     been in this call
   */
  record Repaired(Repair repair, long before, long after) implements Outcome {
    public Repaired {
      Objects.requireNonNull(repair, "repair");
    }

    /** A repair whose progress has no size. */
    public static Repaired changed(Repair repair) {
      return new Repaired(repair, 1, 0);
    }
  }

  /** The repair of the last {@link Decision.RetryRepaired} cannot be done for this request. */
  record RepairImpossible(Repair repair, String why) implements Outcome {
    public RepairImpossible {
      Objects.requireNonNull(repair, "repair");
      Objects.requireNonNull(why, "why");
    }
  }

  static Outcome answered() {
    return Answered.INSTANCE;
  }

  static Outcome cancelled() {
    return Cancelled.INSTANCE;
  }

  /** A failure before the commit point. */
  static Outcome failed(Verdict verdict) {
    return new Failed(verdict);
  }
}
