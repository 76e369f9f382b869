package dev.mainstay.wire.repair;

/** What a request says about calling tools. */
public sealed interface ToolChoice {

  /** The model decides. */
  record Auto() implements ToolChoice {}

  /** No tool may be called. */
  record None() implements ToolChoice {}

  /** Some tool must be called. */
  record Any() implements ToolChoice {}

  /** This tool must be called. */
  record Forced(String name) implements ToolChoice {}
}
