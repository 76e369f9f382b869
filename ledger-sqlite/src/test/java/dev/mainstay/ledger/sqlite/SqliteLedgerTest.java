package dev.mainstay.ledger.sqlite;

import static dev.mainstay.ledger.sqlite.Fixtures.PATIENCE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CallReader.StoredBody;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.sql.EndedCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteLedgerTest {
  private static final InstantSource CLOCK = InstantSource.fixed(Fixtures.NOON);

  @TempDir Path directory;

  private Ledger open() {
    return SqliteLedger.open(Fixtures.in(directory), CLOCK);
  }

  @Test
  void whatIsRecordedIsReadBackAsItWas() throws Exception {
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "a");
      ledger.recorder().record(Fixtures.failed("b"), List.of(), List.of());
      assertThat(ledger.recorder().flush(PATIENCE)).isTrue();

      var stored = Fixtures.kept(ledger.reader(), "a");
      assertThat(stored.call()).isEqualTo(Fixtures.call("a"));
      assertThat(stored.attempts())
          .containsExactly(EndedCalls.attempt("a", 1), EndedCalls.attempt("a", 2));
      assertThat(stored.bodies())
          .extracting(body -> new String(ledger.reader().body(body)))
          .containsExactly("ask a", "answer a");
      assertThat(Fixtures.kept(ledger.reader(), "b").call()).isEqualTo(Fixtures.failed("b"));
      assertThat(ledger.reader().call("c")).isNull();
      assertThat(ledger.recorder().health())
          .isEqualTo(new dev.mainstay.ledger.Recorder.Health(null, 2, 0, 0, 0, 0));
    }
  }

  @Test
  void whatARedactorTakesOutReachesNoFile() throws Exception {
    var redactor =
        new Redactor() {
          @Override
          public byte[] body(byte[] bytes) {
            return "[gone]".getBytes(UTF_8);
          }

          @Override
          public String facts(String json) {
            return "{}";
          }
        };
    try (var ledger = SqliteLedger.open(Fixtures.in(directory).redacting(redactor), CLOCK)) {
      Fixtures.record(ledger.recorder(), "a");
      assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
      var stored = Fixtures.kept(ledger.reader(), "a");
      assertThat(stored.bodies())
          .extracting(body -> new String(ledger.reader().body(body), UTF_8))
          .containsOnly("[gone]");
      assertThat(stored.attempts()).extracting(AttemptRecord::failure).containsOnly("{}");
    }
    try (var files = Files.walk(directory)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), ISO_8859_1)).doesNotContain("answer a");
      }
    }
  }

  @Test
  void aForeignFileAmongTheBodiesIsLeftAlone() throws Exception {
    Files.createDirectories(directory.resolve("bodies"));
    var foreign = Files.writeString(directory.resolve("bodies").resolve("copy of 0001.seg"), "x");
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "a");
      assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
      assertThat(Fixtures.kept(ledger.reader(), "a").bodies()).hasSize(2);
    }
    assertThat(foreign).exists();
  }

  @Test
  void aRedactorWithABugCostsItsCallsBodiesAlone() throws Exception {
    var redactor =
        new Redactor() {
          @Override
          public byte[] body(byte[] bytes) {
            if (new String(bytes, UTF_8).contains("answer b")) {
              throw new IllegalStateException("a bug");
            }
            return bytes;
          }

          @Override
          public String facts(String json) {
            return json;
          }
        };
    try (var ledger = SqliteLedger.open(Fixtures.in(directory).redacting(redactor), CLOCK)) {
      for (var id : List.of("a", "b", "c")) {
        Fixtures.record(ledger.recorder(), id);
      }
      assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
      assertThat(ledger.reader().call("a")).isNotNull();
      assertThat(Fixtures.kept(ledger.reader(), "b").bodies()).isEmpty();
      assertThat(ledger.reader().call("c")).isNotNull();
      assertThat(ledger.recorder().health().droppedCalls()).isZero();
      assertThat(ledger.recorder().health().droppedBodies()).isEqualTo(2);
    }
  }

  @Test
  void closingWritesWhatWaits() {
    try (var ledger = open()) {
      for (int i = 0; i < 2000; i++) {
        Fixtures.record(ledger.recorder(), "call" + i);
      }
    }
    try (var reader = SqliteLedger.read(directory)) {
      assertThat(reader.call("call0")).isNotNull();
      assertThat(Fixtures.kept(reader, "call1999").bodies()).hasSize(2);
    }
  }

  @Test
  void pagesGoFromTheNewestToTheOldestWithoutGapOrRepeat() throws Exception {
    try (var ledger = open()) {
      for (int i = 0; i < 25; i++) {
        Fixtures.record(ledger.recorder(), "call" + i);
      }
      ledger.recorder().flush(PATIENCE);
      var seen = new ArrayList<String>();
      @Nullable String cursor = null;
      do {
        var page = ledger.reader().calls(CallQuery.newest(10).from(cursor));
        seen.addAll(page.calls().stream().map(CallRecord::id).toList());
        cursor = page.next();
        // What ends meanwhile must not move the pages behind it.
        Fixtures.record(ledger.recorder(), "later" + seen.size());
        ledger.recorder().flush(PATIENCE);
      } while (cursor != null);
      assertThat(seen).hasSize(25).startsWith("call24").endsWith("call0").doesNotHaveDuplicates();
      assertThatThrownBy(() -> ledger.reader().calls(CallQuery.newest(1).from("?!")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("not a cursor of this list: ?!");
    }
  }

  @Test
  void filtersTogether() throws Exception {
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "a");
      ledger.recorder().record(Fixtures.failed("b"), List.of(), List.of());
      ledger.recorder().flush(PATIENCE);
      assertThat(
              ids(
                  ledger,
                  CallQuery.newest(10)
                      .where(Field.RUN, "run-1")
                      .where(Field.CLIENT, "team-a")
                      .where(Field.TARGET, "openai/gpt-4o")
                      .failed(false)))
          .containsExactly("a");
      assertThat(ids(ledger, CallQuery.newest(10).failed(true))).containsExactly("b");
      assertThat(ids(ledger, CallQuery.newest(10).where(Field.RUN, "run-2"))).isEmpty();
    }
  }

  @Test
  void equalBodiesAreStoredOnce() throws Exception {
    var text = "the same long system prompt, ".repeat(50);
    try (var ledger = open()) {
      for (var id : List.of("a", "b")) {
        ledger
            .recorder()
            .record(
                Fixtures.call(id),
                List.of(),
                List.of(Fixtures.request(text), Fixtures.response(id)));
        ledger.recorder().flush(PATIENCE);
      }
      var first = Fixtures.kept(ledger.reader(), "a").bodies();
      var second = Fixtures.kept(ledger.reader(), "b").bodies();
      assertThat(second.getFirst()).isEqualTo(first.getFirst());
      assertThat(second.getLast()).isNotEqualTo(first.getLast());
    }
    assertThat(Files.size(Segments.path(Store.bodies(directory), 1)))
        .isEqualTo(3L * Segments.HEADER + text.length() + 2);
  }

  @Test
  void aFileInThePlaceOfTheDirectoryIsNamed() throws Exception {
    var file = Files.writeString(directory.resolve("notes.txt"), "x");
    assertThatThrownBy(() -> SqliteLedger.open(Fixtures.in(file), InstantSource.system()))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining(file + " is a file, not a directory");
  }

  @Test
  void oneProcessWritesAndSaysSoToTheNext() {
    try (var ledger = open()) {
      assertThat(ledger).isNotNull();
      assertThatThrownBy(this::open)
          .isInstanceOf(LedgerException.class)
          .hasMessageContaining(" writes the ledger in " + directory);
    }
    open().close();
  }

  @Test
  void aCallThatCannotBeKeptIsDroppedAloneAndCounted() throws Exception {
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "a");
      Fixtures.record(ledger.recorder(), "a");
      Fixtures.record(ledger.recorder(), "b");
      assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
      assertThat(ids(ledger, CallQuery.newest(10))).containsExactly("b", "a");
      assertThat(ledger.recorder().health().droppedCalls()).isEqualTo(1);
      assertThat(ledger.recorder().health().waitingBytes()).isZero();
    }
  }

  @Test
  void afterAnUncleanEndTheLastWholeBodyIsGoneOnFrom() throws Exception {
    open().close();
    var segment = Segments.path(Store.bodies(directory), 1);
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "a");
    }
    long whole = Files.size(segment);
    Files.write(segment, new byte[] {0, 0, 0, 9, 1, 2, 3}, StandardOpenOption.APPEND);
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "b");
      ledger.recorder().flush(PATIENCE);
      var bodies = Fixtures.kept(ledger.reader(), "b").bodies();
      assertThat(bodies.getFirst().handle()).startsWith("1:" + whole + ":");
      assertThat(bodies)
          .extracting(body -> new String(ledger.reader().body(body)))
          .containsExactly("ask b", "answer b");
    }
  }

  @Test
  void aDamagedBodyIsSaidToBeDamaged() throws Exception {
    try (var ledger = open()) {
      Fixtures.record(ledger.recorder(), "a");
    }
    var segment = Segments.path(Store.bodies(directory), 1);
    var bytes = Files.readAllBytes(segment);
    bytes[Segments.HEADER] ^= 1;
    Files.write(segment, bytes);
    try (var reader = SqliteLedger.read(directory)) {
      StoredBody body = Fixtures.kept(reader, "a").bodies().getFirst();
      assertThatThrownBy(() -> reader.body(body)).hasMessageContaining("the body is damaged");
    }
  }

  @Test
  void aLedgerThatIsNotThereIsNotMadeByReading() {
    var nowhere = directory.resolve("nowhere");
    assertThatThrownBy(() -> SqliteLedger.read(nowhere))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("nothing was recorded there yet");
    assertThat(nowhere).doesNotExist();
  }

  private static List<String> ids(Ledger ledger, CallQuery query) {
    return ledger.reader().calls(query).calls().stream().map(CallRecord::id).toList();
  }

  @Test
  void aDamagedFileIsNamedWithWhatToDo(@TempDir Path elsewhere) throws Exception {
    Files.write(elsewhere.resolve("state.db"), new byte[] {'g', 'a', 'r', 'b', 'a', 'g', 'e'});
    assertThatThrownBy(() -> SqliteLedger.open(Fixtures.in(elsewhere), InstantSource.system()))
        .hasMessageContaining("state.db is damaged")
        .hasMessageContaining("move it away");
    Files.delete(elsewhere.resolve("state.db"));
    SqliteLedger.open(Fixtures.in(elsewhere), InstantSource.system()).close();
  }
}
