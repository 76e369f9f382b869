package dev.mainstay.agent.tool;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries tool calls out. Blocks; to be called on a virtual thread. Thread-safe. */
public interface ToolCaller {

  /**
   * One call of a tool.
   *
   * @param agent the agent's name
   * @param run the run's id
   * @param step its number in the run
   * @param key the idempotency key, the same for every attempt
   * @param arguments as canonical JSON
   * @param memory grows before a long result is read
   */
  record Call(
      String agent, String run, int step, String key, String arguments, ResultMemory.Hold memory) {}

  /** What came of an attempt. */
  sealed interface Outcome {
    /** It succeeded. */
    record Succeeded(String result) implements Outcome {}

    /** The tool refused the call: the model is told {@code message}. */
    record Refused(String message) implements Outcome {}

    /**
     * It failed.
     *
     * @param kind timeout, connection_refused, connection_reset, server_error…
     * @param happened false where the effect cannot have happened, null where that is unknown
     */
    record Failed(String kind, String message, @Nullable Boolean happened) implements Outcome {}
  }

  /** What a reconcile request says. */
  sealed interface Reconciled {
    /** The call happened, with this result. */
    record Happened(String result) implements Reconciled {}

    /** The call did not happen. */
    record NeverHappened() implements Reconciled {}

    /** The tool did not say. */
    record Unknown(String why) implements Reconciled {}
  }

  /** Makes one attempt, for at most the tool's timeout. */
  Outcome call(ToolDefinition tool, Call call) throws InterruptedException;

  /** Asks a queryable tool whether {@code call} happened. */
  Reconciled reconcile(ToolDefinition tool, Call call) throws InterruptedException;

  /**
   * The tools of an MCP server.
   *
   * @param problem why the server could not be asked, or null
   */
  record Listed(List<ToolDefinition> tools, @Nullable String problem) {
    public Listed {
      tools = List.copyOf(tools);
    }
  }

  /** The tools that {@code server} has for {@code agent}; blocks while the server starts. */
  default Listed list(String agent, AgentDefinition.Mcp server) throws InterruptedException {
    return new Listed(List.of(), "MCP servers are not started here");
  }
}
