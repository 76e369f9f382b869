package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import java.io.BufferedReader;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process, ended by SIGKILL while it writes. */
class KillTest {
  @TempDir Path directory;

  /** Records without end, and says on standard output what it has handed over, and no more. */
  static final class Child {
    public static void main(String[] arguments) {
      var out = new PrintStream(System.out, true);
      try (var ledger =
          SqliteLedger.open(Fixtures.in(Path.of(arguments[0])), InstantSource.system())) {
        int from = Integer.parseInt(arguments[1]);
        for (int id = from; ; id++) {
          ledger.recorder().started(Fixtures.start("call" + id));
          out.println("started " + id + ".");
          // Each fifth is under way for ever.
          if (id % 5 != 0) {
            Fixtures.record(ledger.recorder(), "call" + id);
            out.println("ended " + id + ".");
          }
        }
      }
    }
  }

  @RepeatedTest(3)
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void everyCallIsThereOnceAsItEndedOrAsInterrupted() throws Exception {
    var said = new ArrayList<String>();
    // Again and again in the files that the one before left behind.
    for (int process = 0; process < 3; process++) {
      killAfter(ThreadLocalRandom.current().nextInt(1, 3000), said);
    }
    var ended = ids(said, "ended ");
    var interrupted = ids(said, "started ");
    interrupted.removeAll(ended);
    try (var ledger =
        SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Fixtures.NOON))) {
      assertThat(ledger.recorder().flush(Fixtures.PATIENCE)).isTrue();
      var found = new HashMap<String, CallRecord>();
      String cursor = null;
      do {
        var page = ledger.reader().calls(CallQuery.newest(1000).from(cursor));
        for (var call : page.calls()) {
          assertThat(found.put(call.id(), call)).as("%s is there twice", call.id()).isNull();
        }
        cursor = page.next();
      } while (cursor != null);
      for (var id : ended) {
        assertThat(found.get(id)).as(id).isEqualTo(Fixtures.call(id));
        var stored = Fixtures.kept(ledger.reader(), id);
        assertThat(stored.attempts()).hasSize(2);
        assertThat(new String(ledger.reader().body(stored.bodies().getLast())))
            .isEqualTo("answer " + id);
      }
      for (var id : interrupted) {
        // The last one of a process may have ended before it could say so.
        assertThat(Objects.requireNonNull(found.get(id), id).verdict())
            .isIn("TRANSIENT/stream_interrupted", null);
      }
      assertThat(found.values().stream().filter(call -> call.verdict() == null))
          .as("three processes may each have recorded one that they could not tell of")
          .hasSizeBetween(ended.size(), ended.size() + 3);
      Fixtures.record(ledger.recorder(), "after");
      assertThat(ledger.recorder().flush(Fixtures.PATIENCE)).isTrue();
      assertThat(ledger.recorder().health().ok()).isTrue();
    }
  }

  private static Set<String> ids(List<String> said, String what) {
    return said.stream()
        .filter(line -> line.startsWith(what))
        .map(line -> "call" + number(line))
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static int number(String line) {
    return Integer.parseInt(line, line.indexOf(' ') + 1, line.length() - 1, 10);
  }

  @Test
  void aKilledProcessLeavesNoLockBehind() throws Exception {
    killAfter(1, new ArrayList<>());
    SqliteLedger.open(Fixtures.in(directory), InstantSource.system()).close();
  }

  /** Runs a child until it has said so many lines more, and adds all that it said. */
  private void killAfter(int lines, List<String> said) throws Exception {
    // Beyond what the last process may have begun without having said so.
    int from = said.isEmpty() ? 0 : number(said.getLast()) + 2;
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString(),
                Integer.toString(from))
            .redirectError(Redirect.DISCARD)
            .start();
    try (BufferedReader out = process.inputReader()) {
      for (int line = 0; line < lines; line++) {
        said.add(Objects.requireNonNull(out.readLine(), "the child ended by itself"));
      }
      // SIGKILL on a Unix: no hook and no finally runs in the child.
      process.toHandle().destroyForcibly();
      // What it had said already; the last line may be cut.
      out.lines().filter(line -> line.endsWith(".")).forEach(said::add);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
