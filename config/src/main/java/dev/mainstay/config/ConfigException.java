package dev.mainstay.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used, with every mistake in it. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  public ConfigException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** The mistakes, in the order of their lines. */
  public List<Problem> problems() {
    return problems;
  }
}
