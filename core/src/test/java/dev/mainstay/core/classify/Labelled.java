package dev.mainstay.core.classify;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The labelled failures beside the tests, a JSON object a line. */
final class Labelled {
  private Labelled() {}

  /** The lines of {@code name}. */
  static List<String> lines(String name) {
    try (var in = Labelled.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
