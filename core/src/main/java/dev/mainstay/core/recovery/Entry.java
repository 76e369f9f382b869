package dev.mainstay.core.recovery;

/**
 * One line of a call's history: what was reported of {@code target}, and what was decided upon it.
 *
 * @param attempts upstream requests made for the call by then
 * @param target the index in the route of the target that {@code outcome} is about
 * @param atNanos on the clock that is passed to {@link Recovery}
 */
public record Entry(int attempts, int target, Outcome outcome, Decision decision, long atNanos) {}
