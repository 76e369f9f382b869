package dev.mainstay.ledger.sqlite;

import static dev.mainstay.ledger.sqlite.Fixtures.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.state.Budgets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are damaged, empty, removed, replaced or open to others. */
@Timeout(180)
class StoreFilesTest {
  private static final InstantSource CLOCK = InstantSource.fixed(Fixtures.NOON);

  @TempDir Path temporary;

  private Path directory() {
    return temporary.resolve("store");
  }

  private Ledger open() {
    return SqliteLedger.open(Fixtures.in(directory()), CLOCK);
  }

  private static void write(Ledger ledger, String... ids) throws InterruptedException {
    for (var id : ids) {
      Fixtures.record(ledger.recorder(), id);
    }
    assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
    assertThat(ledger.recorder().health().ok()).isTrue();
  }

  private void writeMany() throws InterruptedException {
    try (var ledger = open()) {
      for (int i = 0; i < 500; i++) {
        Fixtures.record(ledger.recorder(), "call" + i);
      }
    }
  }

  private enum Damage {
    HALF,
    EMPTY,
    NO_DATABASE,
    BEGINNING;

    void to(Path file) throws IOException {
      long size = Files.size(file);
      try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        switch (this) {
          case HALF -> channel.truncate(size / 2 + 100);
          case EMPTY -> channel.truncate(0);
          case NO_DATABASE -> channel.write(noise((int) size), 0);
          // Its header is whole, and what follows is not.
          case BEGINNING -> channel.write(noise(8000), 100);
        }
      }
    }

    private static ByteBuffer noise(int length) {
      var bytes = new byte[length];
      new Random(1).nextBytes(bytes);
      return ByteBuffer.wrap(bytes);
    }
  }

  @ParameterizedTest
  @EnumSource
  void damagedCallsAreSetAsideAndRecordedAnew(Damage damage) throws Exception {
    writeMany();
    var file = Store.database(directory());
    damage.to(file);
    var damaged = Files.readAllBytes(file);
    try (var ledger = open()) {
      write(ledger, "after");
      assertThat(ledger.reader().call("after")).isNotNull();
      assertThat(ledger.reader().call("call1")).isNull();
    }
    try (var files = Files.list(directory())) {
      assertThat(files.filter(path -> path.toString().contains("calls.db.damaged-")))
          .singleElement()
          .satisfies(path -> assertThat(path).hasBinaryContent(damaged));
    }
    try (var ledger = open()) {
      assertThat(ledger.reader().call("after")).isNotNull();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDamagedStateIsRefusedAndLeftAsItIs(Damage damage) throws Exception {
    writeMany();
    var file = directory().resolve("state.db");
    damage.to(file);
    var damaged = Files.readAllBytes(file);
    assertThatThrownBy(this::open)
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("state.db is damaged")
        .hasMessageContaining("put a backup in its place, or move it away")
        .hasMessageContaining("nothing spent");
    assertThat(file).hasBinaryContent(damaged);
    Files.delete(file);
    open().close();
  }

  /** What a process leaves that is killed as it makes a database. */
  @ParameterizedTest
  @ValueSource(strings = {"calls.db.new", "state.db.new"})
  void aDatabaseThatWasNeverWholeIsMadeAnew(String half) throws Exception {
    Files.createDirectory(directory());
    Files.write(directory().resolve(half), new byte[10]);
    try (var ledger = open()) {
      write(ledger, "a");
    }
    assertThat(directory().resolve(half)).doesNotExist();
  }

  @Test
  void damageThatOnlyWritingFindsIsSetAsideToo() throws Exception {
    writeMany();
    var file = Store.database(directory());
    try (var db = SqliteFile.connection(file);
        var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select rootpage from sqlite_master where name = 'calls_by_run'");
        var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(Damage.noise(4096), (row.getLong(1) - 1) * 4096);
    }
    try (var ledger = open()) {
      assertThat(ledger.reader().call("call1")).as("it opens, and is read").isNotNull();
      write(ledger, "after");
      assertThat(ledger.reader().call("after")).isNotNull();
      assertThat(ledger.reader().call("call1")).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"calls.db", "calls.db-wal", "bodies", "log", "lock", "state.db", "."})
  void whatIsRemovedWhileMainstayRunsIsNoticedAndBegunAnew(String name) throws Exception {
    try (var ledger = open()) {
      write(ledger, "before");
      assertThat(reserve(ledger, "a").join()).isEqualTo(new Budgets.Reservation.Granted());
      remove(directory().resolve(name).normalize());
      write(ledger, "after");
      write(ledger, "last");
      assertThat(ledger.reader().call("last")).isNotNull();
      // Those that come upon it fail, until the file is there again.
      while (reserve(ledger, "b").exceptionally(e -> null).join() == null) {
        Thread.onSpinWait();
      }
      assertThat(ledger.state().budgets().accounts().toCompletableFuture().join())
          .as("what was reserved is not forgotten")
          .singleElement()
          .satisfies(account -> assertThat(account.reserved()).isGreaterThanOrEqualTo(20));
      assertThatThrownBy(this::open).hasMessageContaining("another Mainstay");
    }
    for (var file : List.of("calls.db", "state.db", "lock", "bodies", "log")) {
      assertThat(directory().resolve(file)).exists();
    }
    try (var ledger = open()) {
      var stored = Fixtures.kept(ledger.reader(), "last");
      assertThat(new String(ledger.reader().body(stored.bodies().getLast())))
          .isEqualTo("answer last");
    }
  }

  private static CompletableFuture<Budgets.@Nullable Reservation> reserve(
      Ledger ledger, String call) {
    return ledger
        .state()
        .budgets()
        .reserve(call, List.of(new Budgets.Allowance("team-a", 0, 1000)), 10, Fixtures.NOON)
        .<Budgets.@Nullable Reservation>thenApply(reservation -> reservation)
        .toCompletableFuture();
  }

  private static void remove(Path path) throws IOException {
    try (var all = Files.walk(path)) {
      for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  @Test
  void everythingIsItsOwnersAloneAlsoWhatWasThereBefore() throws Exception {
    writeMany();
    assumeTrue(Files.getFileStore(directory()).supportsFileAttributeView("posix"));
    try (var all = Files.walk(directory())) {
      for (var path : all.toList()) {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
      }
    }
    try (var ledger = open()) {
      write(ledger, "a");
      try (var all = Files.walk(directory())) {
        assertThat(all)
            .anyMatch(path -> path.endsWith("calls.db-wal"))
            .anyMatch(path -> path.endsWith("state.db-shm"))
            .anyMatch(path -> path.toString().endsWith(".seg"))
            .anyMatch(path -> path.toString().endsWith(".log"))
            .allSatisfy(
                path ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                        .as(path.toString())
                        .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
      }
    }
  }
}
