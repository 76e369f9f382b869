package dev.mainstay.ledger.sqlite;

import static dev.mainstay.ledger.sqlite.Fixtures.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.sql.EndedCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What happens to records while the disk is full, and after. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FullDiskTest {
  private static final InstantSource CLOCK = InstantSource.fixed(Fixtures.NOON);

  @TempDir Path directory;

  /** Segment files that share a number of bytes, and say ENOSPC's words beyond it. */
  private static final class Quota implements SegmentFiles {
    final AtomicLong left;
    final CountDownLatch refused = new CountDownLatch(1);

    Quota(long bytes) {
      left = new AtomicLong(bytes);
    }

    @Override
    public File open(Path path) throws IOException {
      var real = SegmentFiles.REAL.open(path);
      return new File() {
        @Override
        public int write(ByteBuffer from, long at) throws IOException {
          int fits = (int) Math.min(from.remaining(), left.get());
          if (fits == 0) {
            refused.countDown();
            throw new IOException("No space left on device");
          }
          // As a full disk does: some of it first.
          int written = real.write(from.slice(from.position(), fits), at);
          from.position(from.position() + written);
          left.addAndGet(-written);
          return written;
        }

        @Override
        public int read(ByteBuffer into, long at) throws IOException {
          return real.read(into, at);
        }

        @Override
        public void close() throws IOException {
          real.close();
        }
      };
    }
  }

  /** The disk has refused before the thread that writes has had time to say so. */
  private static void awaitTrouble(Recorder recorder, String words) {
    while (!String.valueOf(recorder.health().trouble()).contains(words)) {
      Thread.onSpinWait();
    }
  }

  @Test
  void callsWaitInTheLogAndAreWrittenWithTheirBodiesOnceThereIsRoom() throws Exception {
    var quota = new Quota(0);
    try (var ledger = SqliteLedger.open(Fixtures.in(directory), CLOCK, quota)) {
      var recorder = ledger.recorder();
      for (int i = 0; i < 100; i++) {
        recorder.record(
            Fixtures.call("call" + i), List.of(), List.of(request("%-40d".formatted(i))));
      }
      quota.refused.await();
      awaitTrouble(recorder, "No space left");
      assertThat(recorder.health().trouble()).contains("100 calls wait in the log");
      assertThat(recorder.health().droppedBodies()).isZero();

      quota.left.set(Long.MAX_VALUE);
      assertThat(recorder.flush(PATIENCE)).isTrue();
      assertThat(recorder.health().trouble()).isNull();
      assertThat(recorder.health().written()).isEqualTo(100);
      assertThat(ledger.reader().calls(CallQuery.newest(1000)).calls()).hasSize(100);
      for (int i = 0; i < 100; i++) {
        var body = Fixtures.kept(ledger.reader(), "call" + i).bodies().getFirst();
        assertThat(new String(ledger.reader().body(body)).strip()).isEqualTo("" + i);
      }
    }
  }

  @Test
  void aFullDatabaseIsTriedAgainUntilThereIsRoom() throws Exception {
    try (var ledger = SqliteLedger.open(Fixtures.in(directory), CLOCK, SegmentFiles.REAL)) {
      // SQLite's own limit of pages ends in the same SQLITE_FULL as a full disk.
      ledger.store().limitPages(1);
      var long1 = "x".repeat(200_000);
      var attempt = EndedCalls.attempt("a", 1);
      ledger
          .recorder()
          .record(
              Fixtures.call("a"),
              List.of(
                  new AttemptRecord(
                      "a",
                      1,
                      attempt.target(),
                      new AttemptRecord.Times(
                          attempt.waited(), attempt.startedAt(), null, null, attempt.endedAt()),
                      new AttemptRecord.Outcome(null, long1, null, null, "give_up", "because"),
                      new AttemptRecord.Use(0, 0, null, null))),
              List.of());
      awaitTrouble(ledger.recorder(), "SQLITE_FULL");
      assertThat(ledger.recorder().flush(Duration.ofMillis(200))).isFalse();
      ledger.store().limitPages(1_000_000);
      assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
      assertThat(Fixtures.kept(ledger.reader(), "a").attempts().getFirst().failure())
          .isEqualTo(long1);
    }
  }

  /**
   * The real thing, where this process may mount a small file system; else it says that it may not.
   */
  @Test
  void aRealFullDisk() throws Exception {
    var mount = directory.resolve("small");
    Files.createDirectory(mount);
    assumeThat(run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", mount.toString()))
        .as("a tmpfs can be mounted here (needs root): the full disk is tested by its seam alone")
        .isZero();
    try {
      var large = new byte[100_000];
      new Random(1).nextBytes(large);
      var ballast = mount.resolve("ballast");
      try (var ledger = SqliteLedger.open(Fixtures.in(mount.resolve("ledger")), CLOCK)) {
        Fixtures.record(ledger.recorder(), "before");
        assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
        fill(ballast);
        ledger
            .recorder()
            .record(
                Fixtures.call("during"),
                List.of(EndedCalls.attempt("during", 1)),
                List.of(new Body(0, Body.Part.REQUEST, large)));
        awaitTrouble(ledger.recorder(), "1 calls wait in the log");
        assertThat(ledger.recorder().health().trouble())
            .contains("is full: 0 KiB are free on " + mount);
        assertThat(ledger.recorder().flush(Duration.ofMillis(200))).isFalse();
        Files.delete(ballast);
        assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
        assertThat(ledger.recorder().health().ok()).isTrue();
        fill(ballast);
      }
      // It closes on a full disk too, with all that it had written.
      Files.delete(ballast);
      try (var ledger = SqliteLedger.open(Fixtures.in(mount.resolve("ledger")), CLOCK)) {
        var body = Fixtures.kept(ledger.reader(), "during").bodies().getFirst();
        assertThat(ledger.reader().body(body)).isEqualTo(large);
        assertThat(ledger.reader().call("before")).isNotNull();
      }
    } finally {
      run("umount", mount.toString());
    }
  }

  @Test
  void aStartOnARealFullDiskSaysSo() throws Exception {
    var mount = directory.resolve("small");
    Files.createDirectory(mount);
    assumeThat(run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", mount.toString()))
        .as("a tmpfs can be mounted here (needs root)")
        .isZero();
    try {
      var store = mount.resolve("ledger");
      var ballast = mount.resolve("ballast");
      fill(ballast);
      assertThatFullIsSaid(store);
      Files.delete(ballast);
      SqliteLedger.open(Fixtures.in(store), CLOCK).close();
      fill(ballast);
      assertThatFullIsSaid(store);
    } finally {
      run("umount", mount.toString());
    }
  }

  private static void assertThatFullIsSaid(Path store) {
    assertThatThrownBy(() -> SqliteLedger.open(Fixtures.in(store), CLOCK))
        .hasMessageContainingAll(
            "the disk of " + store + " is full",
            " KiB are free on ",
            " are needed",
            "Free space there, or name a directory on another disk in store.url");
  }

  private static void fill(Path file) throws IOException {
    try (var out = Files.newOutputStream(file)) {
      var block = new byte[4096];
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  private static int run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      return -1;
    }
  }

  private static Body request(String text) {
    return Fixtures.request(text);
  }
}
