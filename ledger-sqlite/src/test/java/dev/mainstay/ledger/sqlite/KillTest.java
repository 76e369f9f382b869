package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.CallQuery;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real process, ended by SIGKILL while it writes. */
class KillTest {
  private static final int PER_ROUND = 40;

  @TempDir Path directory;

  /** Records without end, and says on standard output what it knows to be on disk. */
  static final class Child {
    public static void main(String[] arguments) throws Exception {
      var out = new PrintStream(System.out, true);
      try (var ledger =
          SqliteLedger.open(Fixtures.in(Path.of(arguments[0])), InstantSource.system())) {
        int from = Integer.parseInt(arguments[1]);
        for (int id = from; ; id++) {
          Fixtures.record(ledger.recorder(), "call" + id);
          if (id % PER_ROUND == PER_ROUND - 1) {
            if (!ledger.recorder().flush(Fixtures.PATIENCE)) {
              throw new IOException("not written: " + ledger.recorder().health());
            }
            out.println(id);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7})
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void whatWasOnDiskSurvivesAndTheStoreOpens(int rounds) throws Exception {
    int written = 0;
    // Twice, so that the second process goes on in files that the first left behind.
    for (int process = 0; process < 2; process++) {
      written = writeUntilKilled(written, rounds);
    }
    try (var ledger =
        SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Fixtures.NOON))) {
      var ids = new HashSet<String>();
      String cursor = null;
      do {
        var page = ledger.reader().calls(CallQuery.newest(1000).from(cursor));
        page.calls().forEach(call -> ids.add(call.id()));
        cursor = page.next();
      } while (cursor != null);
      for (int id = 0; id <= written; id++) {
        assertThat(ids).contains("call" + id);
      }
      for (int id = 0; id <= written; id += 13) {
        var stored = Fixtures.kept(ledger.reader(), "call" + id);
        assertThat(stored.attempts()).hasSize(2);
        assertThat(new String(ledger.reader().body(stored.bodies().getLast())))
            .isEqualTo("answer call" + id);
      }
      Fixtures.record(ledger.recorder(), "after");
      assertThat(ledger.recorder().flush(Fixtures.PATIENCE)).isTrue();
      assertThat(ledger.recorder().health().ok()).isTrue();
    }
  }

  @Test
  void aKilledProcessLeavesNoLockBehind() throws Exception {
    writeUntilKilled(0, 1);
    SqliteLedger.open(Fixtures.in(directory), InstantSource.system()).close();
  }

  /** The last id that the child said was on disk before it was killed. */
  private int writeUntilKilled(int after, int rounds) throws Exception {
    // Beyond what the last process may have written without having said so.
    int from = after == 0 ? 0 : after + 1;
    var known = from == 0 ? from : firstFree(from);
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
                Integer.toString(known))
            .redirectError(Redirect.DISCARD)
            .start();
    try (BufferedReader out = process.inputReader()) {
      int last = after;
      for (int round = 0; round < rounds; round++) {
        var line = out.readLine();
        assertThat(line).as("the child ended by itself").isNotNull();
        last = Integer.parseInt(line);
      }
      return last;
    } finally {
      // SIGKILL on a Unix: no hook and no finally runs in the child.
      process.destroyForcibly().waitFor();
    }
  }

  private int firstFree(int from) {
    try (var reader = SqliteLedger.read(directory)) {
      int id = from;
      while (reader.call("call" + id) != null) {
        id++;
      }
      return id;
    }
  }
}
