package dev.mainstay.wire.translate;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A request in another dialect.
 *
 * @param body the new body; in Gemini's dialect the model and whether a stream is asked for stand
 *     in the path, so that the body names neither
 * @param degraded short stable names of what was left out or said less well, the first column of
 *     docs/translation.md; empty where nothing was lost
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes go to the socket; nobody compares them
public record Translation(byte[] body, SortedSet<String> degraded) {
  public Translation {
    degraded = Collections.unmodifiableSortedSet(new TreeSet<>(degraded));
  }
}
