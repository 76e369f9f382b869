package dev.mainstay.core.classify;

/** A rule file that cannot be read; the message names file and line. */
public final class RuleSyntaxException extends IllegalArgumentException {
  private final int line;

  RuleSyntaxException(String file, int line, String problem) {
    super(file + ":" + line + ": " + problem);
    this.line = line;
  }

  /** The line of the mistake, from 1. */
  public int line() {
    return line;
  }
}
