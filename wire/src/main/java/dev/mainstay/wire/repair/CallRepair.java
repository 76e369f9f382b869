package dev.mainstay.wire.repair;

import java.util.Locale;

/** A repair of a tool call in an answer; it needs no attempt. */
public enum CallRepair {
  /** The name is written as the offered tool it was meant to be. */
  TOOL_NAME,
  /** The arguments are written as the JSON they were meant to be. */
  TOOL_ARGUMENTS;

  private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** The name in the configuration, for example {@code tool-name}. */
  public String label() {
    return label;
  }
}
