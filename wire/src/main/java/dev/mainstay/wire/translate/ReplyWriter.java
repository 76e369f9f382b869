package dev.mainstay.wire.translate;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Set;

/** Writes one answer of a dialect from deltas. One per answer; not thread-safe. */
public interface ReplyWriter {
  /**
   * Writes the events of a stream that {@code delta} comes to; nothing where it comes to none, or
   * where they wait for a later one.
   */
  void write(Delta delta, ByteArrayOutputStream to);

  /** A whole answer of {@code deltas}, from {@link Delta.Start} to {@link Delta.End}. */
  byte[] whole(List<Delta> deltas);

  /**
   * Takes over an answer that was streamed in part, so that what {@link #write} writes is its rest:
   * the same id, model and creation time, indices and sequence numbers that go on, the open block
   * left open. Called at most once, before anything was written; a later {@link Delta.Start} then
   * writes nothing.
   *
   * @param delivered every byte that the client has received, whole events only, in this dialect
   */
  void resume(byte[] delivered);

  /**
   * What of the deltas so far this dialect could not say and was left out, by the short names that
   * the header {@code x-mainstay-degraded} shows, such as {@code citations}, {@code logprobs},
   * {@code reasoning}; empty where nothing was lost.
   */
  Set<String> degraded();
}
