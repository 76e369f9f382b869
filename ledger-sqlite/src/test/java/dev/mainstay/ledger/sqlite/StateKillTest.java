package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.state.Claims.Claim;
import dev.mainstay.ledger.state.StoredAnswer;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process, ended by SIGKILL while calls hold their keys. */
class StateKillTest {
  @TempDir Path directory;

  /** Claims two keys a round and answers one, and says on standard output what is on disk. */
  static final class Child {
    public static void main(String[] arguments) throws Exception {
      var out = new PrintStream(System.out, true);
      var now = Fixtures.NOON;
      try (var ledger =
          SqliteLedger.open(Fixtures.in(Path.of(arguments[0])), InstantSource.fixed(now))) {
        var claims = ledger.state().claims();
        for (int i = 0; ; i++) {
          var until = now.plus(Duration.ofDays(1));
          for (var key : List.of("done" + i, "begun" + i)) {
            claims.claim("a", key, "h", "call_" + key, now, until).toCompletableFuture().join();
          }
          var answer =
              new StoredAnswer(
                  "call_done" + i, 200, false, List.of(), ("body" + i).getBytes(UTF_8));
          claims.keep("a", "done" + i, answer).toCompletableFuture().join();
          out.println(i);
        }
      }
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void answersSurviveAndCallsWithoutOneGiveTheirKeysBack() throws Exception {
    int last = untilKilled(20);
    try (var ledger =
        SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Fixtures.NOON))) {
      var claims = ledger.state().claims();
      for (int i = 0; i <= last; i++) {
        var done = claim(claims, "done" + i);
        assertThat(done).isInstanceOf(Claim.Answered.class);
        assertThat(new String(((Claim.Answered) done).answer().body(), UTF_8))
            .isEqualTo("body" + i);
        assertThat(claim(claims, "begun" + i)).isEqualTo(new Claim.Fresh(false));
      }
    }
  }

  private static Claim claim(dev.mainstay.ledger.state.Claims claims, String key) {
    var until = Fixtures.NOON.plus(Duration.ofDays(1));
    return claims
        .claim("a", key, "h", "call_new", Fixtures.NOON, until)
        .toCompletableFuture()
        .join();
  }

  private int untilKilled(int rounds) throws Exception {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString())
            .redirectError(Redirect.DISCARD)
            .start();
    try (var out = process.inputReader()) {
      int last = -1;
      for (int round = 0; round < rounds; round++) {
        var line = out.readLine();
        assertThat(line).as("the child ended by itself").isNotNull();
        last = Integer.parseInt(line);
      }
      return last;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
