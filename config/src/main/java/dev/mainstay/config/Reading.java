package dev.mainstay.config;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What the reading of one file has found. Not thread-safe. */
final class Reading {
  final String file;
  final Map<String, String> environment;

  /** What makes the file unusable. */
  final Set<Problem> problems = new LinkedHashSet<>();

  /** What {@code config check --strict} takes for mistakes, too. */
  final Set<Problem> doubts = new LinkedHashSet<>();

  Reading(String file, Map<String, String> environment) {
    this.file = file;
    this.environment = environment;
  }
}
