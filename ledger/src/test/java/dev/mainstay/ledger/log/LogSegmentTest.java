package dev.mainstay.ledger.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Framing: what was appended is read, in whatever state the file was left. */
class LogSegmentTest {
  private static final int SIZE = 64 << 10;

  @TempDir Path directory;

  @RepeatedTest(20)
  void anEntryIsReadAsItWasWritten(RepetitionInfo run) {
    var random = new Random(run.getCurrentRepetition());
    for (int i = 0; i < 50; i++) {
      var start = RandomEntries.start(random, "call" + i);
      assertThat(Entry.start(RandomEntries.payload(Entry.of(start)))).isEqualTo(start);
      var attempt = RandomEntries.attemptStart(random, "call" + i);
      assertThat(Entry.attempt(RandomEntries.payload(Entry.of(attempt)))).isEqualTo(attempt);
      var call = RandomEntries.call(random, "call" + i);
      var attempts = RandomEntries.attempts(random, "call" + i);
      var bodies = RandomEntries.bodies(random);
      var payload = RandomEntries.payload(Entry.of(call, attempts, bodies));
      assertThat(Entry.call(payload)).isEqualTo("call" + i);
      var ended = Entry.end(payload);
      assertThat(ended.call()).isEqualTo(call);
      assertThat(ended.attempts()).isEqualTo(attempts);
      assertThat(ended.bodies()).usingRecursiveComparison().isEqualTo(bodies);
    }
  }

  /** What the reader sees at a time ends anywhere in an entry, in a text and in a body too. */
  @Test
  void fieldsOfAnyLengthAreRead() {
    for (int length = 0; length < 3000; length += 7) {
      var start =
          new CallStart(
              "a".repeat(length),
              "r",
              "p",
              null,
              Instant.EPOCH,
              "d",
              "é".repeat(length),
              "m",
              true);
      assertThat(Entry.start(RandomEntries.payload(Entry.of(start)))).isEqualTo(start);
      var body = new Body(1, Body.Part.REQUEST, new byte[length]);
      Arrays.fill(body.bytes(), (byte) length);
      var entry = Entry.of(RandomEntries.call(new Random(1), "a"), List.of(), List.of(body));
      assertThat(Entry.end(RandomEntries.payload(entry)).bodies().getFirst().bytes())
          .isEqualTo(body.bytes());
    }
  }

  /** A damaged length asks for no more memory than there are bytes. */
  @Test
  void anEntryThatEndsTooSoonIsRefused() {
    var start = RandomEntries.payload(Entry.of(RandomEntries.start(new Random(1), "a")));
    for (long size = 1; size < start.byteSize(); size++) {
      var cut = start.asSlice(0, size);
      assertThatThrownBy(() -> Entry.start(cut)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void oneArrayGivenTwiceIsWrittenOnceAndReadAsOne() {
    var bytes = new byte[10_000];
    var bodies =
        List.of(
            new Body(0, Body.Part.RESPONSE, bytes),
            new Body(0, Body.Part.REQUEST, new byte[3]),
            new Body(1, Body.Part.RESPONSE, bytes));
    var entry = Entry.of(RandomEntries.call(new Random(1), "a"), List.of(), bodies);
    assertThat(entry.size).isLessThan(11_000);
    var read = Entry.end(RandomEntries.payload(entry)).bodies();
    assertThat(read.get(0).bytes()).isSameAs(read.get(2).bytes()).isEqualTo(bytes);
  }

  /** Cut anywhere and flipped anywhere: everything before the damage is there, and nothing else. */
  @RepeatedTest(60)
  void whatStandsBeforeATearIsRead(RepetitionInfo run) throws IOException {
    var random = new Random(run.getCurrentRepetition());
    var file = directory.resolve("a.log");
    var written = new ArrayList<byte[]>();
    var ends = new ArrayList<Integer>();
    try (var segment = LogSegment.create(file, SIZE)) {
      // An earlier use of the file left entries all over it.
      segment.begin(1);
      fill(segment, random, new ArrayList<>(), new ArrayList<>(), Integer.MAX_VALUE);
      segment.begin(2);
      fill(segment, random, written, ends, random.nextInt(40));
    }
    int last = ends.isEmpty() ? LogSegment.HEADER : ends.getLast();
    int damage = LogSegment.HEADER + random.nextInt(last - LogSegment.HEADER + 8);
    switch (run.getCurrentRepetition() % 3) {
      case 0 -> damage = Integer.MAX_VALUE;
      case 1 -> {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(damage);
        }
      }
      default -> {
        var bytes = Files.readAllBytes(file);
        bytes[damage] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bytes);
      }
    }
    int whole = 0;
    while (whole < ends.size() && ends.get(whole) <= damage) {
      whole++;
    }
    var read = new ArrayList<byte[]>();
    try (var segment = Objects.requireNonNull(LogSegment.open(file))) {
      segment.scan((offset, payload) -> read.add(payload.toArray(JAVA_BYTE)));
      assertThat(segment.number()).isEqualTo(2);
    }
    assertThat(read).hasSizeGreaterThanOrEqualTo(whole).hasSizeLessThanOrEqualTo(written.size());
    for (int i = 0; i < read.size(); i++) {
      assertThat(read.get(i)).isEqualTo(written.get(i));
    }
  }

  private static void fill(
      LogSegment segment, Random random, List<byte[]> written, List<Integer> ends, int most) {
    for (int i = 0; i < most; i++) {
      var entry =
          Entry.of(
              RandomEntries.call(random, "call" + i),
              RandomEntries.attempts(random, "call" + i),
              RandomEntries.bodies(random));
      if (!segment.fits(entry)) {
        return;
      }
      segment.append(entry);
      written.add(RandomEntries.payload(entry).toArray(JAVA_BYTE));
      ends.add(segment.end());
    }
  }

  @Test
  void whatIsNotOfTheLogIsNotOpened() throws IOException {
    var file = directory.resolve("b.log");
    Files.write(file, new byte[1000]);
    assertThat(LogSegment.open(file)).isNull();
    Files.write(file, new byte[0]);
    assertThat(LogSegment.open(file)).isNull();
  }

  @Test
  void aDamagedMarkOfWhatWasDrainedCountsAsNone() throws IOException {
    var file = directory.resolve("c.log");
    try (var segment = LogSegment.create(file, SIZE)) {
      segment.begin(1);
      fill(segment, new Random(1), new ArrayList<>(), new ArrayList<>(), 5);
      segment.setDrained(segment.end());
      assertThat(segment.drained()).isEqualTo(segment.end());
    }
    var bytes = Files.readAllBytes(file);
    bytes[17] ^= 1;
    Files.write(file, bytes);
    try (var segment = Objects.requireNonNull(LogSegment.open(file))) {
      segment.scan((offset, payload) -> {});
      assertThat(segment.drained()).isEqualTo(LogSegment.HEADER);
    }
  }

  /** Entries with every field there or not, of any length. */
  static final class RandomEntries {
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456789Z");

    private RandomEntries() {}

    static MemorySegment payload(Entry entry) {
      var all = new ByteArrayOutputStream();
      all.write(entry.head, 0, entry.headSize);
      entry.bodies.forEach(all::writeBytes);
      return MemorySegment.ofArray(all.toByteArray());
    }

    static CallStart start(Random random, String id) {
      return new CallStart(
          id,
          text(random),
          text(random),
          text(random),
          time(random),
          "openai",
          "/v1",
          text(random),
          random.nextBoolean());
    }

    static AttemptStart attemptStart(Random random, String id) {
      return new AttemptStart(id, random.nextInt(300), "a/b", time(random));
    }

    static CallRecord call(Random random, String id) {
      return new CallRecord(
          new CallStart(
              id,
              text(random),
              text(random),
              text(random),
              time(random),
              "openai",
              "/v1/chat",
              text(random),
              random.nextBoolean()),
          new CallRecord.Outcome(
              text(random),
              random.nextInt(600),
              text(random),
              random.nextBoolean() ? List.of() : List.of("retry", "repair:ä"),
              random.nextInt(9),
              random.nextBoolean() ? null : Duration.ofNanos(random.nextLong(1L << 50)),
              Duration.ofNanos(random.nextLong(1L << 50))),
          new CallRecord.Cost(
              tokens(random),
              random.nextBoolean() ? null : (Long) random.nextLong(),
              text(random)));
    }

    static List<AttemptRecord> attempts(Random random, String id) {
      var attempts = new ArrayList<AttemptRecord>();
      for (int number = 1; number <= random.nextInt(4); number++) {
        attempts.add(
            new AttemptRecord(
                id,
                number,
                "openai/gpt-4o",
                new AttemptRecord.Times(
                    Duration.ofNanos(random.nextInt()).abs(),
                    time(random),
                    random.nextBoolean() ? null : time(random),
                    random.nextBoolean() ? null : time(random),
                    time(random)),
                new AttemptRecord.Outcome(
                    random.nextBoolean() ? null : (Integer) random.nextInt(600),
                    text(random),
                    text(random),
                    text(random),
                    "retry",
                    "because"),
                new AttemptRecord.Use(
                    random.nextLong(1L << 40),
                    random.nextLong(1L << 40),
                    tokens(random),
                    random.nextBoolean() ? null : (Long) random.nextLong())));
      }
      return attempts;
    }

    static List<Body> bodies(Random random) {
      var bodies = new ArrayList<Body>();
      for (int i = 0; i < random.nextInt(4); i++) {
        var bytes = new byte[random.nextInt(1, 2000)];
        random.nextBytes(bytes);
        bodies.add(
            new Body(i, random.nextBoolean() ? Body.Part.REQUEST : Body.Part.RESPONSE, bytes));
      }
      return bodies;
    }

    private static @Nullable Tokens tokens(Random random) {
      return random.nextBoolean()
          ? null
          : new Tokens(
              random.nextLong(1L << 62) >>> random.nextInt(60),
              0,
              1,
              127,
              128,
              random.nextBoolean());
    }

    private static Instant time(Random random) {
      return NOON.plusNanos(random.nextLong(1L << 55));
    }

    private static @Nullable String text(Random random) {
      if (random.nextInt(3) == 0) {
        return null;
      }
      var characters = new char[random.nextInt(200)];
      Arrays.setAll(
          new Object[characters.length],
          i -> characters[i] = (char) (' ' + random.nextInt(0x2000)));
      return new String(characters);
    }
  }
}
