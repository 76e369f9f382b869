package dev.mainstay.ledger.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.Redactor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log in front of a store that is there, away, refuses, or forgets what it was given. */
@Timeout(180)
class CallLogTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final long MIB = 1 << 20;

  @TempDir Path directory;

  /** Takes calls while it has permits, and knows each by its id. */
  private static final class Table implements CallStore {
    final Map<String, EndedCall> calls = new LinkedHashMap<>();
    final Semaphore permits;

    Table(int permits) {
      this.permits = new Semaphore(permits);
    }

    @Override
    public synchronized void write(List<EndedCall> batch, boolean repeated) throws IOException {
      if (!permits.tryAcquire()) {
        throw new IOException("the store is away");
      }
      for (var ended : batch) {
        var before = calls.putIfAbsent(ended.call().id(), ended);
        assertThat(before == null || repeated).as("%s is new", ended.call().id()).isTrue();
      }
    }

    synchronized EndedCall call(String id) {
      return Objects.requireNonNull(calls.get(id), id);
    }

    synchronized int size() {
      return calls.size();
    }

    @Override
    public boolean mayPass(Exception failure) {
      return failure instanceof IOException;
    }

    @Override
    public boolean retain(Instant now) {
      return false;
    }
  }

  private CallLog open(CallStore store, long maxBytes) throws IOException {
    return open(directory, maxBytes, Redactor.NONE, store);
  }

  private static CallLog open(Path folder, long maxBytes, Redactor redactor, CallStore store)
      throws IOException {
    return CallLog.open(
        folder, maxBytes, redactor, store, InstantSource.fixed(NOON), Duration.ZERO);
  }

  private static CallStart start(String id) {
    return new CallStart(
        id, null, null, "team-a", NOON, "openai", "/v1/chat/completions", "m", true);
  }

  private static CallRecord ended(String id) {
    return new CallRecord(
        new CallStart(id, null, null, "team-a", NOON, "openai", "/v1/chat/completions", "m", true),
        new CallRecord.Outcome("openai/m", 200, null, List.of(), 1, null, Duration.ofSeconds(1)),
        new CallRecord.Cost(null, null, null));
  }

  private static void record(Recorder log, String id, int bodyBytes) {
    log.record(ended(id), List.of(), List.of(new Body(0, Body.Part.REQUEST, new byte[bodyBytes])));
  }

  /** What it says once it says anything. */
  private static String trouble(Recorder log) {
    var trouble = log.health().trouble();
    while (trouble == null) {
      Thread.onSpinWait();
      trouble = log.health().trouble();
    }
    return trouble;
  }

  @Test
  void healthSaysThatNothingOldIsDeleted() throws Exception {
    var full =
        new CallStore() {
          @Override
          public void write(List<EndedCall> batch, boolean repeated) {}

          @Override
          public boolean mayPass(Exception failure) {
            return true;
          }

          @Override
          public boolean retain(Instant now) throws IOException {
            throw new IOException("the table is locked");
          }
        };
    try (var log = open(full, 8 << 20)) {
      assertThat(trouble(log)).contains("recording.retention (the table is locked)");
    }
  }

  @Test
  void callsReachTheStoreThroughFilesThatAreUsedAgain() throws Exception {
    var table = new Table(Integer.MAX_VALUE);
    try (var log = open(table, MIB)) {
      // Eight times what its files may hold.
      for (int i = 0; i < 800; i++) {
        log.started(start("call" + i));
        record(log, "call" + i, 10_000);
        if (i % 20 == 0) {
          assertThat(log.flush(PATIENCE)).isTrue();
        }
      }
      assertThat(log.flush(PATIENCE)).isTrue();
      assertThat(log.health())
          .isEqualTo(new Recorder.Health(null, 800, 0, log.health().waitingBytes(), 0, 0));
      assertThat(table.size()).isEqualTo(800);
      assertThat(table.call("call799").bodies().getFirst().bytes()).hasSize(10_000);
      assertThat(bytesOfFiles()).isLessThanOrEqualTo(MIB);
    }
  }

  @Test
  void whatTheStoreDidNotTakeIsThereAfterARestartAndOnlyOnce() throws Exception {
    var away = new Table(1);
    try (var log = open(away, 4 * MIB)) {
      record(log, "taken", 10);
      assertThat(log.flush(PATIENCE)).isTrue();
      for (int i = 0; i < 100; i++) {
        record(log, "call" + i, 10_000);
      }
      assertThat(trouble(log)).contains("the store is away", "100 calls wait in the log");
      assertThat(log.health().waitingBytes()).isBetween(1_000_000L, 1_100_000L);
    }
    var back = new Table(Integer.MAX_VALUE);
    // What a process that was killed between a commit and its note of it leaves.
    back.calls.put("call0", new EndedCall(ended("call0"), List.of(), List.of()));
    try (var log = open(back, 4 * MIB)) {
      assertThat(log.flush(PATIENCE)).isTrue();
      assertThat(back.size()).isEqualTo(100);
      assertThat(back.call("call0").bodies()).as("the first one counts").isEmpty();
      assertThat(log.health().waiting()).isZero();
    }
    try (var log = open(new Table(0), 4 * MIB)) {
      assertThat(log.health().waiting()).as("nothing is left in the log").isZero();
    }
  }

  @Test
  void whatWaitsIsCountedAndWhatIsDamagedIsNamedBesideTheGatewayThatWrites() throws Exception {
    assertThat(WaitingCalls.in(directory)).isEqualTo(new WaitingCalls(0, 0, null, List.of()));
    try (var log = open(directory.resolve("gateway-1"), 4 * MIB, Redactor.NONE, new Table(1))) {
      record(log, "taken", 10);
      assertThat(log.flush(PATIENCE)).isTrue();
      for (int i = 0; i < 100; i++) {
        record(log, "call" + i, 10_000);
      }
      var waiting = WaitingCalls.in(directory);
      assertThat(waiting.calls()).isEqualTo(100);
      assertThat(waiting.bytes()).isBetween(1_000_000L, 1_100_000L);
      assertThat(waiting.oldest()).isEqualTo(NOON);
      assertThat(waiting.problems()).isEmpty();
    }
    var log = directory.resolve("gateway-1/0001.log");
    try (var file = FileChannel.open(log, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap("damage".getBytes(UTF_8)), 600_000);
    }
    Files.write(directory.resolve("0002.log.damaged"), new byte[1]);
    Files.write(directory.resolve("0003.log"), "no log at all".getBytes(UTF_8));
    var damaged = WaitingCalls.in(directory);
    assertThat(damaged.calls()).isBetween(1L, 99L);
    assertThat(damaged.problems())
        .hasSize(3)
        .anyMatch(each -> each.contains("0001.log is damaged after byte"))
        .anyMatch(each -> each.contains("0002.log.damaged was damaged and set aside"))
        .anyMatch(each -> each.contains("0003.log is damaged"));
  }

  @Test
  void callsUnderWayAreInterruptedAfterAKill() throws Exception {
    var table = new Table(Integer.MAX_VALUE);
    var log = open(table, MIB);
    log.started(start("under-way"));
    log.attempted(new AttemptStart("under-way", 1, "openai/m", NOON.plusSeconds(1)));
    // Long enough for the start's own file to be used again, more than once.
    for (int i = 0; i < 400; i++) {
      record(log, "call" + i, 10_000);
      if (i % 20 == 0) {
        assertThat(log.flush(PATIENCE)).isTrue();
      }
    }
    assertThat(log.flush(PATIENCE)).isTrue();
    // A copy of the files is what a kill at this moment leaves.
    var left = directory.resolve("left");
    copyTo(left);
    log.close();
    assertThat(table.call("under-way").call().verdict()).isEqualTo("TRANSIENT/stream_interrupted");

    var after = new Table(Integer.MAX_VALUE);
    after.calls.putAll(table.calls);
    after.calls.remove("under-way");
    try (var next = open(left, MIB, Redactor.NONE, after)) {
      assertThat(next.flush(PATIENCE)).isTrue();
      var interrupted = after.call("under-way");
      assertThat(interrupted.call().status()).isEqualTo(502);
      assertThat(interrupted.call().verdict()).isEqualTo("TRANSIENT/stream_interrupted");
      assertThat(interrupted.call().client()).isEqualTo("team-a");
      assertThat(interrupted.attempts())
          .extracting(AttemptRecord::target, AttemptRecord::decision)
          .containsExactly(tuple("openai/m", "interrupted"));
      assertThat(after.size()).isEqualTo(401);
    }
  }

  /** A stream writes nothing to the log while it moves. */
  @Test
  void aCallThatAKillInterruptsLastedUntilTheProcessWasLastAlive() throws Exception {
    var now = new AtomicReference<>(NOON);
    var table = new Table(Integer.MAX_VALUE);
    var left = directory.resolve("left");
    try (var log = CallLog.open(directory, MIB, Redactor.NONE, table, now::get, Duration.ZERO)) {
      log.started(start("under-way"));
      now.set(NOON.plusSeconds(40));
      record(log, "other", 10);
      assertThat(log.flush(PATIENCE)).isTrue();
      copyTo(left);
    }
    var after = new Table(Integer.MAX_VALUE);
    try (var next = open(left, MIB, Redactor.NONE, after)) {
      assertThat(next.flush(PATIENCE)).isTrue();
      assertThat(after.call("under-way").call().outcome().total())
          .isEqualTo(Duration.ofSeconds(40));
    }
  }

  @Test
  void aFullLogKeepsRecordsWithoutBodiesThenDropsAndCounts() throws Exception {
    var away = new Table(0);
    try (var log = open(away, MIB)) {
      for (int i = 0; i < 2000; i++) {
        record(log, "call" + i, 10_000);
      }
      var health = log.health();
      assertThat(health.droppedBodies()).isBetween(1000L, 1999L);
      assertThat(health.trouble()).contains("bound", "calls wait in the log");
      for (int i = 2000; i < 20_000; i++) {
        record(log, "call" + i, 0);
      }
      health = log.health();
      assertThat(health.droppedCalls()).isPositive();
      assertThat(health.droppedCalls() + health.waiting()).isEqualTo(20_000);
      assertThat(bytesOfFiles()).isLessThanOrEqualTo(MIB);
      away.permits.release(Integer.MAX_VALUE);
      assertThat(log.flush(PATIENCE)).isTrue();
      assertThat(away.size()).isEqualTo(20_000 - (int) health.droppedCalls());
      record(log, "after", 10);
      assertThat(log.flush(PATIENCE)).isTrue();
      assertThat(log.health().ok()).isTrue();
    }
  }

  /** Writing behind the end of a mapped file is SIGBUS, which ends a process that does not care. */
  @Test
  void aFileThatIsCutWhileItIsWrittenIsLeft() throws Exception {
    var table = new Table(Integer.MAX_VALUE);
    try (var log = open(table, MIB)) {
      record(log, "before", 10);
      assertThat(log.flush(PATIENCE)).isTrue();
      try (var files = Files.newDirectoryStream(directory, "*.log")) {
        for (var file : files) {
          try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
          }
        }
      }
      for (int i = 0; i < 10; i++) {
        record(log, "call" + i, 10_000);
      }
      assertThat(log.flush(PATIENCE)).isTrue();
      assertThat(log.health().ok()).isTrue();
      assertThat(table.call("call9").bodies()).hasSize(1);
      assertThat(table.size()).isEqualTo(11);
    }
  }

  @Test
  void aCallLargerThanAFileHasOneOfItsOwn() throws Exception {
    var table = new Table(Integer.MAX_VALUE);
    try (var log = open(table, 64 * MIB)) {
      record(log, "large", 30 << 20);
      record(log, "small", 30);
      assertThat(log.flush(PATIENCE)).isTrue();
      assertThat(table.call("large").bodies().getFirst().bytes()).hasSize(30 << 20);
      assertThat(table.call("small").bodies()).hasSize(1);
    }
  }

  @Test
  void aRedactorWorksBeforeAnythingReachesAFile() throws Exception {
    var table = new Table(0);
    var redactor =
        new Redactor() {
          @Override
          public byte[] body(byte[] bytes) {
            return "[gone]".getBytes(UTF_8);
          }

          @Override
          public String facts(String json) {
            throw new IllegalStateException("a bug");
          }
        };
    try (var log = open(directory, MIB, redactor, table)) {
      log.record(
          ended("a"),
          List.of(),
          List.of(new Body(0, Body.Part.REQUEST, "a secret".getBytes(UTF_8))));
      assertThat(log.health().droppedBodies()).isZero();
    }
    try (var files = Files.list(directory)) {
      for (var file : files.toList()) {
        assertThat(Files.readString(file, ISO_8859_1)).doesNotContain("a secret");
      }
    }
  }

  @Test
  void filesAreTheirOwnersAlone() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (var log = open(new Table(1), MIB)) {
      record(log, "a", 10);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .isEqualTo("rwx------");
      try (var files = Files.list(directory)) {
        for (var file : files.toList()) {
          assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
              .isEqualTo("rw-------");
        }
      }
    }
  }

  @Test
  void aFileThatWasCutWhileItWasMadeIsRemoved() throws Exception {
    Files.write(directory.resolve("0001.log"), new byte[0]);
    Files.write(directory.resolve("0002.log"), new byte[40]);
    Files.write(directory.resolve("0003.log"), new byte[1 << 20]);
    Files.write(directory.resolve("0004.log"), "no log".getBytes(UTF_8));
    open(new Table(1), MIB).close();
    try (var files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .as("what was never written to holds no call; what is no log is kept for a person")
          .contains("0004.log.damaged")
          .doesNotContain("0001.log", "0002.log", "0003.log")
          .noneMatch(name -> name.endsWith(".damaged") && !name.startsWith("0004"));
    }
  }

  private void copyTo(Path to) throws IOException {
    Files.createDirectory(to);
    var all = new ArrayList<Path>();
    try (var files = Files.newDirectoryStream(directory, "*.log")) {
      files.forEach(all::add);
    }
    for (var file : all) {
      Files.copy(file, to.resolve(file.getFileName()));
    }
  }

  private long bytesOfFiles() throws IOException {
    long bytes = 0;
    try (var files = Files.newDirectoryStream(directory, "*.log")) {
      for (var file : files) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}
