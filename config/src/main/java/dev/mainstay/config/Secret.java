package dev.mainstay.config;

/** A value that must not be seen: it prints as stars, so that no log or error can tell it. */
public record Secret(String value) {
  public boolean isEmpty() {
    return value.isEmpty();
  }

  /** What {@link #fitsHeader} allows, in the words of a {@link Problem}. */
  static final String HEADER = "printable ASCII characters without spaces";

  /** Whether a client can send it in an HTTP header and a server reads what was sent. */
  boolean fitsHeader() {
    return value.chars().allMatch(c -> c > ' ' && c < 127);
  }

  @Override
  public String toString() {
    return "***";
  }
}
