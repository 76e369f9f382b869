package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events put together to the whole answer that it adds up to, in the same dialect: some
 * servers stream whatever they are asked for.
 */
public sealed interface CollectedReply {
  /** The whole answer. */
  @SuppressWarnings("ArrayRecordComponent") // read at once
  record Whole(byte[] body) implements CollectedReply {}

  /** The stream has an error event or one that cannot be read. */
  record Broken(boolean errorEvent, String text) implements CollectedReply {}

  /** The stream has no ending of its protocol. */
  record Cut() implements CollectedReply {}

  /** Whether {@code body} begins as a stream of events does; no JSON begins so. */
  static boolean isEvents(byte[] body) {
    var begin = new String(body, 0, Math.min(body.length, 6), StandardCharsets.US_ASCII);
    return begin.startsWith("data:") || begin.equals("event:") || begin.startsWith(":");
  }

  /** Collects the stream {@code events} of {@code dialect}. */
  static CollectedReply of(Dialect dialect, byte[] events) {
    var collecting = new Collecting(Readers.stream(dialect), Replies.reader(dialect));
    var scanner = new SseScanner();
    try {
      scanner.feed(events, 0, events.length, collecting::event);
      if (scanner.cut()) {
        scanner.feed(new byte[] {'\n', '\n'}, 0, 2, collecting::event);
      }
      if (collecting.broken != null) {
        return collecting.broken;
      }
      if (!collecting.stream.ended()) {
        return new Cut();
      }
      collecting.deltas.addAll(collecting.reader.close());
      var options = new WriterOptions(null, true, "collected", collecting.created);
      return new Whole(Replies.writer(dialect, options).whole(collecting.deltas));
    } catch (SseScanner.EventTooLarge | MalformedReplyException e) {
      return new Broken(false, String.valueOf(e.getMessage()));
    }
  }

  /** What has been read so far. */
  final class Collecting {
    private final StreamReader stream;
    private final ReplyReader reader;
    private final List<Delta> deltas = new ArrayList<>();
    private @Nullable Broken broken;

    /** Seconds since 1970, where the dialect says so. */
    private long created;

    private Collecting(StreamReader stream, ReplyReader reader) {
      this.stream = stream;
      this.reader = reader;
    }

    private boolean event(SseEvent event) {
      if (!event.hasData()) {
        return true;
      }
      boolean ended = stream.ended();
      var part = stream.read(event);
      if (part == Part.ERROR || part == Part.MALFORMED) {
        // Nothing takes back an answer that has come to its protocol's own ending.
        broken = ended ? null : new Broken(part == Part.ERROR, event.dataText());
        return false;
      }
      if (deltas.isEmpty()) {
        var first = Tree.read(event.dataText());
        created = first.path("created").asLong(first.at("/response/created_at").asLong(0));
      }
      deltas.addAll(reader.read(event));
      return true;
    }
  }
}
