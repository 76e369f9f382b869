package dev.mainstay.app.selftest;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a client was left with.
 *
 * @param status the HTTP status, or 0 where none came
 * @param whole whether an answer came with its protocol's own ending
 * @param refused whether the provider ended it by a filter or a refusal
 * @param text what the answer says, its tool calls included, as far as it came
 * @param error the error's message, or null where none was told
 * @param took from the request to the last byte
 */
record ClientResult(
    int status,
    boolean whole,
    boolean refused,
    String text,
    @Nullable String error,
    Duration took) {}
