/**
 * What an answer says, event by event or whole: where content begins, how it ended, what it used.
 * The port that the dialects' own packages implement for the raw lane.
 */
@NullMarked
package dev.mainstay.wire.stream;

import org.jspecify.annotations.NullMarked;
