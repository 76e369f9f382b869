package dev.mainstay.app.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.RunAlerts;
import dev.mainstay.agent.RunContext;
import dev.mainstay.agent.Submitted;
import dev.mainstay.agent.Timing;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.tool.HttpToolCaller;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A process that carries runs on until it is killed. It reads {@code run KEY} from its input, and
 * prints {@code accepted KEY RUN}; the model is scripted, store and tools are real.
 */
public final class WorkerProcess implements AutoCloseable {
  private final Process process;

  private WorkerProcess(Process process) {
    this.process = process;
  }

  /**
   * @param store a directory, or the URL of a database
   * @param directory of this worker alone
   * @param lease until a worker that was killed is taken over
   */
  static WorkerProcess start(String store, Path directory, String tools, Duration lease)
      throws IOException {
    return new WorkerProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerProcess.class.getName(),
                store,
                directory.toString(),
                tools,
                lease.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  BufferedReader said() {
    return process.inputReader();
  }

  /** Asks for a run; nothing where the process is gone. */
  void run(String key) {
    try {
      var out = process.outputWriter();
      out.write("run " + key + "\n");
      out.flush();
    } catch (IOException e) {
      // It was killed: another one is asked.
    }
  }

  long pid() {
    return process.pid();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }

  /** The process. */
  public static void main(String[] arguments) throws IOException {
    var out = new PrintStream(System.out, true, UTF_8);
    var agent = EffectAgent.definition(arguments[2]);
    try (var ledger = open(arguments[0], Path.of(arguments[1]), Duration.parse(arguments[3]));
        var tools = new HttpToolCaller(HttpToolCaller.Headers.NONE);
        var runtime =
            new AgentRuntime(
                new RunContext(
                    ledger.state().runs(),
                    (request, events) -> {
                      Timing.system()
                          .sleep(Duration.ofMillis(ThreadLocalRandom.current().nextInt(30)));
                      return EffectAgent.answer(request);
                    },
                    tools,
                    Timing.system(),
                    RunAlerts.NONE),
                () -> Map.of(EffectAgent.NAME, agent),
                () -> "run_" + Long.toHexString(ThreadLocalRandom.current().nextLong()),
                new AgentRuntime.Capacity(8, 10_000))) {
      out.println("ready");
      var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line; (line = in.readLine()) != null; ) {
        var key = line.substring("run ".length());
        var request =
            new JournalEntry.RunRequest(
                EffectAgent.NAME, input(key), List.of(), "", null, 0, Map.of(), null);
        runtime
            .submit(request, key, "hash " + key)
            .thenAccept(
                submitted -> {
                  if (submitted instanceof Submitted.Accepted accepted) {
                    out.println("accepted " + key + " " + accepted.run());
                  }
                });
      }
    }
  }

  /** A mix: what a run does follows from its key. */
  private static String input(String key) {
    return switch (Math.floorMod(key.hashCode(), 4)) {
      case 0 -> "idempotent\nqueryable\nidempotent queryable read";
      case 1 -> "queryable\nqueryable\nread\nqueryable";
      case 2 -> "idempotent idempotent idempotent\nunsafe";
      default -> "read\nunsafe\nqueryable unsafe";
    };
  }

  private static Ledger open(String store, Path directory, Duration lease) {
    return PostgresConfig.isUrl(store)
        ? PostgresLedger.open(
            new PostgresConfig(store, lease, LedgerConfig.in(directory)), InstantSource.system())
        : SqliteLedger.open(LedgerConfig.in(Path.of(store)), InstantSource.system());
  }
}
