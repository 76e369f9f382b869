package dev.mainstay.app.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a client was left with.
 *
 * @param ending how it ended
 * @param text the answer as far as there is one, or the error's words
 * @param status the last HTTP status, or null where none arrived
 * @param requests how many the client sent
 * @param took how long, waits included
 * @param call the value of {@code x-mainstay-call}, or null
 */
record Received(
    Ending ending,
    String text,
    @Nullable Integer status,
    int requests,
    Duration took,
    @Nullable String call) {

  /** How a request ended for the program that made it. */
  enum Ending {
    /** A whole answer. */
    ANSWER,
    /** An error, as such. */
    ERROR,
    /**
     * What the program takes for an answer, and is none: empty, cut short, or an error in a 200.
     */
    FALSE_ANSWER
  }

  boolean answered() {
    return ending == Ending.ANSWER;
  }
}
