package dev.mainstay.wire.translate;

import dev.mainstay.wire.sse.SseEvent;
import java.util.List;

/** Reads one answer of a dialect into deltas. One per answer; not thread-safe. */
public interface ReplyReader {
  /**
   * What {@code event} of a stream brings, in order; nothing for comments, pings, error events and
   * what nobody knows.
   *
   * @throws MalformedReplyException if it is no event of the dialect
   */
  List<Delta> read(SseEvent event);

  /**
   * What a whole answer says, from {@link Delta.Start} to {@link Delta.End}.
   *
   * @throws MalformedReplyException if it is no answer of the dialect
   */
  List<Delta> whole(byte[] body);

  /**
   * What is still to be said once the bytes of a stream have ended without an error: {@link
   * Delta.End} in a dialect that marks its end by the end of the bytes alone, provided that every
   * choice has finished; otherwise nothing.
   */
  List<Delta> close();
}
