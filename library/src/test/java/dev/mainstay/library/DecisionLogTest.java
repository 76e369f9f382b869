package dev.mainstay.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mainstay.library.testing.VirtualTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every decision about a wrapped call but its first success is one line. */
final class DecisionLogTest {
  private static final String SECRET = "what the prompt said";

  private final Logger logger = Logger.getLogger(DecisionLog.NAME);
  private final List<LogRecord> logged = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private final Mainstay mainstay =
      Mainstay.builder().policy(BlockingTest.plain()).timer(new VirtualTimer()).build();
  private final Provider one = new Provider("one");
  private final Provider two = new Provider("two");

  @BeforeEach
  void listen() {
    handler.setLevel(Level.ALL);
    logger.addHandler(handler);
  }

  @AfterEach
  void leave() {
    logger.removeHandler(handler);
    logger.setLevel(null);
  }

  private enum Decided {
    RETRY(
        Provider.down(), Level.INFO, "; retry at openai/a after attempt 1 of 5, waiting 500 ms: "),
    FALLBACK(Provider.noMoney(), Level.WARNING, "; fallback to openai/b after attempt 1 of 5"),
    GIVE_UP(Provider.invalid(), Level.INFO, "; give_up after attempt 1 of 5: ");

    private final Exception failure;
    private final Level level;
    private final String says;

    Decided(Exception failure, Level level, String says) {
      this.failure = failure;
      this.level = level;
      this.says = says;
    }
  }

  @ParameterizedTest
  @EnumSource(Decided.class)
  void isOneLineWithoutTheFailuresOwnWords(Decided decided) {
    one.fails(decided.failure);
    var unused = catchThrowable(mainstay.wrap("openai/a", one).or("openai/b", two)::call);
    assertThat(logged)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.getLevel()).isEqualTo(decided.level);
              assertThat(line.getMessage())
                  .startsWith("call_")
                  .contains(" at openai/a: ", decided.says);
              assertThat(line.getThrown()).isNull();
            });
  }

  @Test
  void aFreshClientIsAWarning() throws Exception {
    var failures = new ArrayList<>(List.of(new IllegalStateException("Connection pool shut down")));
    var clients = new ClientRegistry<>(() -> (AutoCloseable) () -> {});
    mainstay
        .wrap(
            "openai/a",
            clients,
            _ -> {
              if (!failures.isEmpty()) {
                throw failures.removeFirst();
              }
              return "answer";
            })
        .call();
    assertThat(logged.getFirst().getLevel()).isEqualTo(Level.WARNING);
    assertThat(logged.getFirst().getMessage()).contains("repair:refresh_client");
  }

  @Test
  void theStackTraceIsThereAtDebugAlone() throws Exception {
    logger.setLevel(Level.FINE);
    var failure = Provider.down();
    one.fails(failure);
    mainstay.wrap("openai/a", one).call();
    assertThat(logged).hasSize(2);
    assertThat(logged.get(1).getLevel()).isEqualTo(Level.FINE);
    assertThat(logged.get(1).getThrown()).isSameAs(failure);
  }

  @Test
  void aFirstSuccessSaysNothing() throws Exception {
    Callable<String> call = () -> SECRET;
    mainstay.wrap("openai/a", call).call();
    assertThat(logged).isEmpty();
  }
}
