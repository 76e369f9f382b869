package dev.mainstay.simulator;

import java.time.Duration;

/**
 * What one request gets.
 *
 * @param times how many requests get it, at least 1
 * @param delay before the status line
 * @param drip between two events (between two halves of an answer that is not streamed)
 * @param answer what would be said if nothing went wrong
 * @param fault what goes wrong
 * @param name as it stands in the log: the catalogue's name or a description
 */
public record Step(
    int times, Duration delay, Duration drip, Answer answer, Fault fault, String name) {
  /** A good answer. */
  public static final Step OK = of(new Fault.None());

  /** Checks the ranges. */
  public Step {
    if (times < 1) throw new IllegalArgumentException("times must be at least 1, not " + times);
    if (delay.isNegative()) throw new IllegalArgumentException("delay must not be negative");
    if (drip.isNegative()) throw new IllegalArgumentException("drip must not be negative");
  }

  /** The usual answer with a fault, once, without delay. */
  public static Step of(Fault fault) {
    return new Step(
        1,
        Duration.ZERO,
        Duration.ZERO,
        Answer.USUAL,
        fault,
        fault instanceof Fault.None ? "ok" : fault.toString());
  }

  /** A good answer of one's own, once, without delay. */
  public static Step answering(Answer answer) {
    return OK.with(answer);
  }

  /**
   * This step for {@code reply}. A fault that would have no place in it happens where it can, and
   * the name says so: it would do nothing otherwise, and a test of it would prove nothing. An
   * answer that is not streamed ends with its second half, and one in ASCII has no character to
   * cut.
   */
  Step fitting(Reply reply) {
    FaultPoint at = fault.at();
    if (fault instanceof Fault.CutInside(Fault.Part part)
        && part == Fault.Part.CHARACTER
        && !reply.beyondAscii()) {
      return instead(new Fault.CutInside(Fault.Part.JSON), "inside its JSON: the answer is ASCII");
    }
    if (reply.stream()
        || at == null
        || (at.countsBytes() ? at.bytes() < reply.size() : at.deltas() <= 1)) {
      return this;
    }
    Fault moved = fault.movedTo(FaultPoint.after(1));
    return moved.equals(fault) ? this : instead(moved, "in the middle: the answer is not streamed");
  }

  private Step instead(Fault other, String why) {
    return new Step(times, delay, drip, answer, other, name + ", " + why);
  }

  /** The same for so many requests. */
  public Step times(int newTimes) {
    return new Step(newTimes, delay, drip, answer, fault, name);
  }

  /** The same later. */
  public Step after(Duration newDelay) {
    return new Step(times, newDelay, drip, answer, fault, name);
  }

  /** The same more slowly. */
  public Step dripping(Duration newDrip) {
    return new Step(times, delay, newDrip, answer, fault, name);
  }

  /** The same about another answer. */
  public Step with(Answer newAnswer) {
    return new Step(times, delay, drip, newAnswer, fault, name);
  }

  /** The same under a name. */
  public Step named(String newName) {
    return new Step(times, delay, drip, answer, fault, newName);
  }
}
