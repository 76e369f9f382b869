package dev.mainstay.wire.json;

import java.util.Set;

/**
 * A few names of fields that a {@link JsonWalk} looks out for on its way, at any depth. Nearly
 * every other name differs from all of them in its length or its first letter, which one look
 * tells. Immutable.
 */
public final class WatchedNames {
  private final Set<String> names;

  /** For each length, the first bytes of the names of that length: a bit each. */
  private final long[] firsts;

  /**
   * @param names in ASCII
   */
  public WatchedNames(Set<String> names) {
    this.names = Set.copyOf(names);
    int longest = names.stream().mapToInt(String::length).max().orElse(0);
    firsts = new long[longest + 1];
    for (var name : names) {
      firsts[name.length()] |= 1L << name.charAt(0);
    }
  }

  /** Whether the name from {@code start} up to, not including, {@code end} is one of them. */
  boolean have(byte[] bytes, int start, int end) {
    int length = end - start;
    return length < firsts.length
        && (firsts[length] >>> bytes[start] & 1) != 0
        && names.contains(InternedStrings.of(bytes, start, end));
  }
}
