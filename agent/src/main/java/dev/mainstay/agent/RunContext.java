package dev.mainstay.agent;

import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.ledger.run.RunStore;

/** What runs are carried out with. */
public record RunContext(
    RunStore store, ModelCaller models, ToolCaller tools, Timing timing, RunAlerts alerts) {}
