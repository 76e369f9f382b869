package dev.mainstay.call.api;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.wire.money.Prices;
import java.time.InstantSource;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What every call uses. Thread-safe, and so must be what it is made of.
 *
 * @param classify what a failure means
 * @param recorder where calls are written
 * @param prices what tokens cost; asked once a call, at its beginning
 * @param clock the time of day, for records
 * @param nanos a clock that never goes back, for everything else
 * @param random for jitter and ids
 * @param learned what targets have shown of themselves, kept over calls
 * @param memory what calls hold is taken from
 * @param listener told of every call and attempt as it ends
 */
public record Services(
    Function<Failure, Verdict> classify,
    Recorder recorder,
    Supplier<Prices> prices,
    InstantSource clock,
    LongSupplier nanos,
    RandomGenerator random,
    LearnedQuirks learned,
    MemoryBudget memory,
    CallListener listener) {}
