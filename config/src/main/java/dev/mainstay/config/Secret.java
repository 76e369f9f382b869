package dev.mainstay.config;

/** A value that must not be seen: it prints as stars, so that no log or error can tell it. */
public record Secret(String value) {
  public boolean isEmpty() {
    return value.isEmpty();
  }

  @Override
  public String toString() {
    return "***";
  }
}
