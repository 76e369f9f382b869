package dev.mainstay.call.attempt;

import dev.mainstay.call.settings.Timeouts;
import dev.mainstay.wire.Operation;

/**
 * How one attempt is made.
 *
 * @param operation as the target is asked
 * @param stream whether a stream is asked for
 * @param rules the provider's name in the rule tables
 * @param deadline the call's, on its clock of nanoseconds
 * @param recorded whether what comes of the answer is kept for the record
 */
public record AttemptPlan(
    Operation operation,
    boolean stream,
    String rules,
    Timeouts timeouts,
    long deadline,
    boolean recorded) {}
