package dev.mainstay.engine.model;

import dev.mainstay.ledger.Tokens;

/** A piece of a model's answer as it arrives. Delivered events are never taken back. */
public sealed interface ModelEvent {
  /** More of the text. */
  record Text(String text) implements ModelEvent {}

  /** More of the reasoning, or of its summary. */
  record Reasoning(String text) implements ModelEvent {}

  /** A tool call, whole. */
  record ToolCall(Message.ToolCall call) implements ModelEvent {}

  /**
   * What the answer has used so far. A later event replaces an earlier one. {@link
   * ModelOutcome.Evidence} has the tokens of all attempts together.
   */
  record Usage(Tokens tokens) implements ModelEvent {}

  /** The answer is complete: the last event. A request that fails has none. */
  record Ended(ModelOutcome.Ending ending) implements ModelEvent {}
}
