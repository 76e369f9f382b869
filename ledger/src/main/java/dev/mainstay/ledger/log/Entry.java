package dev.mainstay.ledger.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * One entry of the log as bytes: its kind, the id of its call, and its fields. The bytes of bodies
 * come last and are not copied until they are in the file.
 */
final class Entry {
  /** A call began. */
  static final int START = 1;

  /** An attempt of it began. */
  static final int ATTEMPT = 2;

  /** It ended. */
  static final int END = 3;

  /** The starts of a call that is under way still, written anew before their segment is reused. */
  static final int CARRIED = 4;

  private static final Body.Part[] PARTS = Body.Part.values();
  private static final int USUAL_BYTES = 512;

  final byte[] head;
  final int headSize;
  final List<byte[]> bodies;

  /** Of the whole payload. */
  final int size;

  final int checksum;

  private Entry(EntryWriter head, List<byte[]> bodies) {
    this.head = head.bytes();
    headSize = head.size();
    this.bodies = bodies;
    var crc = new CRC32C();
    crc.update(this.head, 0, headSize);
    int all = headSize;
    for (var body : bodies) {
      crc.update(body, 0, body.length);
      all = Math.addExact(all, body.length);
    }
    size = all;
    checksum = (int) crc.getValue();
  }

  /** What kind of entry a payload is. */
  static int kind(MemorySegment payload) {
    return payload.get(JAVA_BYTE, 0);
  }

  /** The id of the call that a payload is about. */
  static String call(MemorySegment payload) {
    var in = new EntryReader(payload);
    in.get();
    return in.someText();
  }

  static Entry of(CallStart call) {
    var out = new EntryWriter(USUAL_BYTES / 2).put(START).text(call.id());
    out.text(call.run()).text(call.parent()).text(call.client()).time(call.startedAt());
    out.text(call.dialect()).text(call.path()).text(call.modelAsked()).put(call.stream());
    return new Entry(out, List.of());
  }

  static CallStart start(MemorySegment payload) {
    var in = new EntryReader(payload);
    in.get();
    return new CallStart(
        in.someText(),
        in.text(),
        in.text(),
        in.text(),
        in.knownTime(),
        in.someText(),
        in.someText(),
        in.text(),
        in.flag());
  }

  static Entry of(AttemptStart attempt) {
    var out = new EntryWriter(USUAL_BYTES / 4).put(ATTEMPT).text(attempt.call());
    out.number(attempt.number()).text(attempt.target()).time(attempt.startedAt());
    return new Entry(out, List.of());
  }

  static AttemptStart attempt(MemorySegment payload) {
    var in = new EntryReader(payload);
    in.get();
    return new AttemptStart(in.someText(), in.count(), in.someText(), in.knownTime());
  }

  /** {@code starts} are payloads of a start and of attempts. */
  static Entry carried(String call, List<byte[]> starts) {
    var out = new EntryWriter(USUAL_BYTES).put(CARRIED).text(call).number(starts.size());
    for (var start : starts) {
      out.number(start.length).raw(start);
    }
    return new Entry(out, List.of());
  }

  static List<byte[]> carried(MemorySegment payload) {
    var in = new EntryReader(payload);
    in.get();
    in.text();
    var starts = new ArrayList<byte[]>();
    for (int left = in.count(); left > 0; left--) {
      starts.add(in.raw(in.count()));
    }
    return starts;
  }

  static Entry of(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
    var out = new EntryWriter(USUAL_BYTES).put(END).text(call.id());
    out.text(call.run()).text(call.parent()).text(call.client()).time(call.startedAt());
    out.text(call.dialect()).text(call.path()).text(call.modelAsked()).text(call.target());
    out.put(call.stream()).number(call.status()).text(call.verdict());
    out.number(call.recovery().size());
    call.recovery().forEach(out::text);
    out.number(call.attempts()).tokens(call.tokens()).nullable(call.costNanos());
    out.text(call.priceVersion()).length(call.firstToken()).length(call.total());
    out.number(attempts.size());
    for (var attempt : attempts) {
      put(out, attempt);
    }
    out.number(bodies.size());
    var bytes = new ArrayList<byte[]>(bodies.size());
    for (var body : bodies) {
      // An answer that passes unchanged is one array, for the attempt and for the client.
      int same = indexOf(bytes, body.bytes());
      out.number(body.attempt()).put(body.part().ordinal()).number(same + 1L);
      if (same < 0) {
        out.number(body.bytes().length);
        bytes.add(body.bytes());
      }
    }
    return new Entry(out, bytes);
  }

  private static void put(EntryWriter out, AttemptRecord attempt) {
    out.number(attempt.number()).text(attempt.target()).length(attempt.waited());
    out.time(attempt.startedAt()).time(attempt.headersAt()).time(attempt.firstTokenAt());
    out.time(attempt.endedAt());
    out.nullable(attempt.status() == null ? null : (Long) attempt.status().longValue());
    out.text(attempt.failure()).text(attempt.verdict()).text(attempt.rule());
    out.text(attempt.decision()).text(attempt.reason());
    out.number(attempt.bytesSent()).number(attempt.bytesReceived());
    out.tokens(attempt.tokens()).nullable(attempt.costNanos());
  }

  @SuppressWarnings("ArrayEquals") // the very same array
  private static int indexOf(List<byte[]> all, byte[] one) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) == one) {
        return i;
      }
    }
    return -1;
  }

  static EndedCall end(MemorySegment payload) {
    var in = new EntryReader(payload);
    in.get();
    // In the order in which they were written.
    var id = in.someText();
    var run = in.text();
    var parent = in.text();
    var client = in.text();
    var startedAt = in.knownTime();
    var dialect = in.someText();
    var path = in.someText();
    var modelAsked = in.text();
    var target = in.text();
    boolean stream = in.flag();
    int status = in.count();
    var verdict = in.text();
    var recovery = texts(in);
    int made = in.count();
    var cost = new CallRecord.Cost(in.tokens(), in.nullable(), in.text());
    var call =
        new CallRecord(
            new CallStart(id, run, parent, client, startedAt, dialect, path, modelAsked, stream),
            new CallRecord.Outcome(
                target, status, verdict, recovery, made, in.length(), in.knownLength()),
            cost);
    int attempts = in.count();
    var records = new ArrayList<AttemptRecord>(attempts);
    for (int i = 0; i < attempts; i++) {
      records.add(attempt(in, call.id()));
    }
    return new EndedCall(call, records, bodies(in));
  }

  private static List<String> texts(EntryReader in) {
    var texts = new ArrayList<String>();
    for (int left = in.count(); left > 0; left--) {
      texts.add(in.someText());
    }
    return texts;
  }

  private static AttemptRecord attempt(EntryReader in, String call) {
    int number = in.count();
    var target = in.someText();
    var waited = in.knownLength();
    var startedAt = in.knownTime();
    var headersAt = in.time();
    var firstTokenAt = in.time();
    var endedAt = in.knownTime();
    var status = in.nullable();
    return new AttemptRecord(
        call,
        number,
        target,
        new AttemptRecord.Times(waited, startedAt, headersAt, firstTokenAt, endedAt),
        new AttemptRecord.Outcome(
            status == null ? null : (Integer) status.intValue(),
            in.text(),
            in.text(),
            in.text(),
            in.someText(),
            in.someText()),
        new AttemptRecord.Use(in.number(), in.number(), in.tokens(), in.nullable()));
  }

  /** What the table says of a body. */
  private record Described(int attempt, Body.Part part, int bytes) {}

  private static List<Body> bodies(EntryReader in) {
    int count = in.count();
    var table = new ArrayList<Described>(count);
    var lengths = new ArrayList<Integer>(count);
    for (int i = 0; i < count; i++) {
      int attempt = in.count();
      var part = PARTS[in.get()];
      int same = in.count() - 1;
      if (same < 0) {
        same = lengths.size();
        lengths.add(in.count());
      }
      table.add(new Described(attempt, part, same));
    }
    var bytes = new ArrayList<byte[]>(lengths.size());
    for (int length : lengths) {
      bytes.add(in.raw(length));
    }
    var bodies = new ArrayList<Body>(count);
    for (var described : table) {
      bodies.add(new Body(described.attempt(), described.part(), bytes.get(described.bytes())));
    }
    return bodies;
  }
}
