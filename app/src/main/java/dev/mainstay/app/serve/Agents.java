package dev.mainstay.app.serve;

import dev.mainstay.agent.AgentDefinitions;
import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.EndNotices;
import dev.mainstay.agent.InstructionFiles;
import dev.mainstay.agent.RunContext;
import dev.mainstay.agent.Timing;
import dev.mainstay.agent.api.CallReplays;
import dev.mainstay.agent.api.DeadRuns;
import dev.mainstay.agent.api.RunsApi;
import dev.mainstay.agent.mcp.McpTools;
import dev.mainstay.agent.tool.HttpToolCaller;
import dev.mainstay.agent.tool.MethodTools;
import dev.mainstay.agent.tool.ToolCallers;
import dev.mainstay.engine.Engine;
import dev.mainstay.http.Routes;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.Redactor;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The agents of a gateway's process, on its engine and its ledger. */
public final class Agents implements AutoCloseable {
  private final Ledger ledger;
  private final Redactor redactor;
  private @Nullable AgentRuntime runtime;
  private @Nullable HttpToolCaller http;
  private @Nullable McpTools mcp;
  private @Nullable EndNotices notices;

  /**
   * Of runs that are kept in {@code ledger}.
   *
   * @param redactor what is taken out of what agents report before it is kept
   */
  public Agents(Ledger ledger, Redactor redactor) {
    this.ledger = ledger;
    this.redactor = redactor;
  }

  /** Starts the workers, and gives the API that drives them. */
  public List<Routes> start(Engine engine) {
    var overHttp =
        new HttpToolCaller(
            (agent, tool, url) -> AgentDefinitions.headers(engine.config(), agent, tool, url));
    var servers = new McpTools(engine::config);
    var tools = new ToolCallers(overHttp, servers, MethodTools.NONE);
    var runs = engine.config().runs();
    var store = ledger.state().runs();
    store.keepFor(runs.retention());
    var files = InstructionFiles.of(engine.config());
    var started =
        new AgentRuntime(
            new RunContext(store, engine.models()::call, tools, Timing.system(), engine::alert),
            () -> AgentDefinitions.of(engine.config(), files),
            () -> "run_" + engine.newId().substring("call_".length()),
            new AgentRuntime.Capacity(runs.workers(), runs.queue()),
            () -> {
              var recording = engine.config().recording();
              return recording.bodies() && recording.redact().isEmpty();
            });
    http = overHttp;
    mcp = servers;
    runtime = started;
    notices =
        EndNotices.start(
            store,
            Timing.system(),
            () -> {
              var webhook = engine.config().alerts().webhook();
              return webhook == null ? null : webhook.secret().value();
            });
    return List.of(
        new RunsApi(
            started,
            ledger.state(),
            ledger.reader(),
            redactor,
            InstantSource.system(),
            (client, agent) -> isAllowed(engine, client, agent)),
        new DeadRuns(started, store, InstantSource.system()),
        new CallReplays(ledger.reader(), engine.models()::call));
  }

  private static boolean isAllowed(Engine engine, String client, String agent) {
    return engine.config().clients().stream()
        .anyMatch(
            each ->
                each.name().equals(client)
                    && (each.agents().isEmpty() || each.agents().contains(agent)));
  }

  /** Takes up no more runs, and begins no more steps. */
  public void stop() {
    if (runtime != null) {
      runtime.stop();
    }
  }

  @Override
  public void close() {
    close(Duration.ZERO);
  }

  /**
   * Gives the runs under way back.
   *
   * @param atMost how long the steps under way may take to end
   */
  public void close(Duration atMost) {
    if (runtime != null) {
      runtime.close(atMost);
    }
    if (notices != null) {
      notices.close();
    }
    if (http != null) {
      http.close();
    }
    if (mcp != null) {
      mcp.close();
    }
  }
}
