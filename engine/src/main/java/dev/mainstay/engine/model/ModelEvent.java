package dev.mainstay.engine.model;

/** A piece of a model's answer as it arrives. Delivered events are never taken back. */
public sealed interface ModelEvent {
  /** More of the text. */
  record Text(String text) implements ModelEvent {}

  /** More of the reasoning, or of its summary. */
  record Reasoning(String text) implements ModelEvent {}

  /** A tool call, whole. */
  record ToolCall(Message.ToolCall call) implements ModelEvent {}
}
