package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.tool.HttpToolCaller;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.engine.Engine;
import dev.mainstay.http.Loops;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.wire.json.Tree;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs over a real store, a real engine and a real tool. */
@SuppressWarnings("NullAway.Init")
class AgentRuntimeTest {
  @TempDir Path directory;
  private final BlockingQueue<String> effects = new LinkedBlockingQueue<>();
  private Simulator provider;
  private HttpServer tool;
  private Loops loops;
  private Ledger ledger;
  private Engine engine;
  private AgentRuntime runtime;

  @BeforeEach
  void start() throws Exception {
    provider = Simulator.start();
    tool = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    tool.createContext(
        "/effect",
        exchange -> {
          effects.add(exchange.getRequestHeaders().getFirst("idempotency-key"));
          exchange.getRequestBody().readAllBytes();
          byte[] body = "{\"refunded\":true}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    tool.start();
    loops = Loops.start(1);
    open();
  }

  private void open() throws Exception {
    ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system());
    var config =
        ConfigLoader.parse(
            """
            providers:
              one: { dialect: openai, base-url: "%s/one/v1", keys: [k] }
            models:
              assistant: { targets: [one/gpt-4o] }
            """
                .formatted(provider.url()),
            "test.yaml",
            Map.of());
    engine = Engine.start(config, ledger.recorder(), ledger.state(), loops);
    runtime =
        new AgentRuntime(
            new RunContext(
                ledger.state().runs(),
                engine.models()::call,
                new HttpToolCaller(HttpToolCaller.Headers.NONE),
                Timing.system(),
                RunAlerts.NONE),
            () -> Map.of("refunds", agent(ToolDefinition.Effect.IDEMPOTENT)),
            engine::newId,
            new AgentRuntime.Capacity(4, 100));
  }

  private AgentDefinition agent(ToolDefinition.Effect effect) {
    return new AgentDefinition(
        "refunds",
        "assistant",
        "You handle refunds.",
        AgentDefinition.Limits.DEFAULTS,
        null,
        CallSettings.defaults(),
        List.of(
            new ToolDefinition(
                "refund",
                "Pays money back.",
                Tree.object().put("type", "object"),
                new ToolDefinition.Binding.Http(
                    "POST", "http://127.0.0.1:" + tool.getAddress().getPort() + "/effect"),
                effect,
                null,
                ToolDefinition.CallPolicy.within(5000))));
  }

  private void closeProcess() {
    runtime.close();
    engine.close();
    ledger.close();
  }

  @AfterEach
  void stop() {
    closeProcess();
    loops.close();
    tool.stop(0);
    provider.close();
  }

  private String submit(@Nullable String key) {
    var request =
        new JournalEntry.RunRequest(
            "refunds", "Refund order 7.", List.of(), "", null, 0, Map.of(), null);
    return runtime.submit(request, key, "hash-1").toCompletableFuture().join()
            instanceof Submitted.Accepted accepted
        ? accepted.run()
        : "refused";
  }

  private JournalEntry.Ended ended(String run) throws Exception {
    var seen = new LinkedBlockingQueue<String>();
    ledger.state().runs().onNews(seen::add);
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < until) {
      var entries = journal(run);
      if (entries.getLast() instanceof JournalEntry.Ended end) {
        return end;
      }
      seen.poll(50, TimeUnit.MILLISECONDS);
    }
    throw new AssertionError("the run did not end: " + journal(run));
  }

  private List<JournalEntry> journal(String run) {
    return ledger.state().runs().read(run, 0, 1000).toCompletableFuture().join().stream()
        .map(RunStore.StoredEntry::entry)
        .map(JournalJson::read)
        .toList();
  }

  private void scripted() {
    provider.script(
        Script.parse(
            """
            models:
              one/gpt-4o:
                script:
                  - openai-rate-limit
                  - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7"}' } ] } }
                  - { answer: "Refunded." }
            """));
  }

  @Test
  void aRunCallsItsToolOnceAndAnswers() throws Exception {
    scripted();
    var run = submit("key-1");
    var end = ended(run);
    assertThat(end.status()).isEqualTo("completed");
    assertThat(end.output()).hasToString("\"Refunded.\"");
    assertThat(effects).hasSize(1);
    assertThat(submit("key-1")).isEqualTo(run);
    assertThat(journal(run))
        .extracting(JournalJson::kind)
        .containsExactly(
            "accepted",
            "worker_began",
            "turn_started",
            "turn_ended",
            "step_planned",
            "step_started",
            "step_ended",
            "turn_started",
            "turn_ended",
            "ended");
  }

  @Test
  void aRunGoesOnInTheNextProcess() throws Exception {
    provider.script(
        Script.parse(
            """
            models:
              one/gpt-4o:
                script:
                  - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7"}' } ] } }
                  - { silence: 0 }
            """));
    var run = submit(null);
    var key = effects.poll(60, TimeUnit.SECONDS);
    closeProcess();
    provider.script(Script.parse("models: { one/gpt-4o: [ { answer: \"Refunded.\" } ] }"));
    open();
    assertThat(ended(run).status()).isEqualTo("completed");
    // Where the process ended before the result was on disk, the same key was sent again.
    assertThat(effects).allMatch(key::equals);
  }

  /** A stop ends the call that its drain was too short for. That costs the run no attempt. */
  @Test
  void aCallThatAStopEndsIsNoFailureOfItsRun() throws Exception {
    provider.script(Script.parse("models: { one/gpt-4o: [ { silence: 0 } ] }"));
    var run = submit(null);
    while (provider.log().isEmpty()) {
      Thread.onSpinWait();
    }
    runtime.stop();
    engine.stopAll("the process stops");
    runtime.close(Duration.ofSeconds(20));
    var store = ledger.state().runs();
    assertThat(store.find(run).toCompletableFuture().join().getFirst().status())
        .isEqualTo(RunStore.Status.QUEUED);
    assertThat(journal(run)).noneMatch(JournalEntry.TurnFailed.class::isInstance);
  }
}
