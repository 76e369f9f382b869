package dev.mainstay.agent.tool;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Binding;

/**
 * Every kind of tool, each carried out by its own caller.
 *
 * @param methods carries out Java methods
 */
public record ToolCallers(ToolCaller http, ToolCaller mcp, ToolCaller methods)
    implements ToolCaller {

  private ToolCaller of(ToolDefinition tool) {
    return switch (tool.binding()) {
      case Binding.Http _ -> http;
      case Binding.Mcp _ -> mcp;
      case Binding.Method _ -> methods;
      case Binding.SubAgent _ ->
          throw new IllegalArgumentException(tool.name() + " is a run of its own");
    };
  }

  @Override
  public Outcome call(ToolDefinition tool, Call call) throws InterruptedException {
    return of(tool).call(tool, call);
  }

  @Override
  public Reconciled reconcile(ToolDefinition tool, Call call) throws InterruptedException {
    return of(tool).reconcile(tool, call);
  }

  @Override
  public Listed list(String agent, AgentDefinition.Mcp server) throws InterruptedException {
    return mcp.list(agent, server);
  }
}
