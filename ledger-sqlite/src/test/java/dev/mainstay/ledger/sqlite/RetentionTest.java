package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.log.CallStore;
import dev.mainstay.ledger.sql.CallRetentionContract;
import dev.mainstay.ledger.sql.EndedCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionTest extends CallRetentionContract {
  private static final long MIB = 1 << 20;

  @TempDir Path directory;
  private Store store;

  @BeforeEach
  void open() throws Exception {
    store = new Store(Fixtures.in(directory).keeping(MONTH, 80 * MIB), SegmentFiles.REAL);
  }

  @Override
  protected CallStore store() {
    return store;
  }

  @Override
  protected CallStore store(long maxBytes) throws Exception {
    store.close();
    store = new Store(Fixtures.in(directory).keeping(MONTH, maxBytes), SegmentFiles.REAL);
    return store;
  }

  @Override
  protected LedgerReader reader() throws Exception {
    return SqliteLedger.read(directory);
  }

  @AfterEach
  void close() throws Exception {
    store.close();
  }

  @Test
  void theOldestBodiesGoFirstWhenThereIsTooMuch() throws Exception {
    // 130 MiB, of which 80 MiB may stay.
    write(130, "call", Fixtures.NOON, MIB);
    int last = Segments.list(Store.bodies(directory)).lastKey();
    assertThat(store.retain(Fixtures.NOON)).isFalse();
    var kept = Segments.list(Store.bodies(directory));
    assertThat(kept.lastKey()).isEqualTo(last);
    assertThat(kept.values().stream().mapToLong(Long::longValue).sum())
        .isBetween(60 * MIB, 80 * MIB);
    try (var reader = SqliteLedger.read(directory)) {
      assertThat(Fixtures.kept(reader, "call0").bodies()).as("gone, and said so").isEmpty();
      var newest = Fixtures.kept(reader, "call129").bodies().getFirst();
      assertThat(reader.body(newest)).hasSize((int) MIB);
      assertThatThrownBy(
              () -> reader.body(new CallReader.StoredBody(0, Body.Part.REQUEST, "1:0:5", 5)))
          .isInstanceOf(LedgerException.class)
          .hasMessageContaining("no longer kept");
    }
  }

  @Test
  void bodiesOlderThanTheirTimeGoWithTheirSegment() throws Exception {
    write(70, "call", Fixtures.NOON, MIB);
    var first = Segments.path(Store.bodies(directory), 1);
    Files.setLastModifiedTime(first, FileTime.from(Fixtures.NOON.minus(MONTH).minusSeconds(1)));
    store.retain(Fixtures.NOON);
    assertThat(first).doesNotExist();
    assertThat(Segments.path(Store.bodies(directory), 2)).exists();
  }

  @Test
  void blocksOfNumbersGoOnceTheirCallsAreLongGone() throws Exception {
    write(1, "new", Fixtures.NOON, 0);
    try (var db = DriverManager.getConnection("jdbc:sqlite:" + Store.database(directory));
        var statement = db.createStatement()) {
      statement.execute("update calls set seq = 3000000");
      statement.execute("insert into call_blocks values ('model', 'new', 3000000 / 256)");
      store.retain(Fixtures.NOON);
      try (var left = statement.executeQuery("select group_concat(name) from call_blocks")) {
        assertThat(left.getString(1)).isEqualTo("new");
      }
    }
  }

  @Test
  void aFileIsSmallerAfterItsRowsAreGone() throws Exception {
    write(5000, "old", Fixtures.NOON.minus(MONTH).minusSeconds(1), 0);
    store.close();
    long full = Files.size(Store.database(directory));
    open();
    while (store.retain(Fixtures.NOON)) {
      continue;
    }
    store.close();
    assertThat(Files.size(Store.database(directory))).isLessThan(full / 4);
    open();
  }

  @Test
  void whatCanBeFoundOfBodiesGoesWithThem() throws Exception {
    store.close();
    var kept = Fixtures.in(directory).keeping(MONTH, 80 * MIB);
    // The letters of a megabyte of noise are its words; the first byte says whose they are.
    store =
        new Store(
            kept.searching((body, part) -> body[0] % 2 == 0 ? "needle even" : "needle odd"),
            SegmentFiles.REAL);
    write(3, "old", Fixtures.NOON.minus(MONTH).minusSeconds(1), 8);
    write(130, "call", Fixtures.NOON, MIB);
    assertThat(rows("needle")).isEqualTo(133);
    store.retain(Fixtures.NOON);
    assertThat(Segments.path(Store.bodies(directory), 1)).doesNotExist();
    try (var reader = SqliteLedger.read(directory)) {
      var found =
          reader.calls(CallQuery.newest(1000).text("needle").inBodies(true)).calls().stream()
              .map(CallRecord::id)
              .toList();
      assertThat(found).contains("call129").doesNotContain("old0", "call0").hasSizeLessThan(90);
      assertThat(rows("needle")).as("no words of rows that are gone").isEqualTo(found.size());
      assertThat(reader.call("call0")).as("its row stays").isNotNull();
    }
    assertThat(SqliteLedger.check(directory).problems())
        .as("this store has no state")
        .containsExactly(directory.resolve("state.db") + " is not there");
  }

  @Test
  void theFileIsSmallerAfterTheWordsOfItsBodiesAreGone() throws Exception {
    store.close();
    var words =
        IntStream.range(0, 2000)
            .mapToObj(i -> Integer.toString(i * 7919, 36) + 'x')
            .collect(Collectors.joining(" "));
    store =
        new Store(
            Fixtures.in(directory)
                .keeping(MONTH, 8 * MIB)
                .searching((body, part) -> words.substring(Math.floorMod(body[0], 64))),
            SegmentFiles.REAL);
    write(300, "call", Fixtures.NOON, 100_000);
    while (store.retain(Fixtures.NOON)) {
      continue;
    }
    try (var db = SqliteSource.readOnly(Store.database(directory));
        var row =
            db.createStatement()
                .executeQuery("select * from pragma_page_count, pragma_freelist_count")) {
      assertThat(row.getLong(2)).as("free pages").isLessThanOrEqualTo(row.getLong(1) / 4);
    }
  }

  private int rows(String word) throws Exception {
    try (var db = SqliteSource.readOnly(Store.database(directory));
        var row =
            db.createStatement()
                .executeQuery(
                    "select count(*) from call_text where call_text match '" + word + "'")) {
      return row.getInt(1);
    }
  }

  private void write(int calls, String prefix, Instant startedAt, long bodyBytes) throws Exception {
    store.write(EndedCalls.of(calls, prefix, startedAt, (int) bodyBytes), false);
  }
}
