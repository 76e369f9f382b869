package dev.mainstay.config;

import org.jspecify.annotations.Nullable;

/**
 * A mailbox: {@code ann@example.com}, or {@code Ann Example <ann@example.com>}. Immutable.
 *
 * @param name the person's name as people read it, or null
 * @param address the part that mail servers read, {@code local@domain}
 */
public record MailAddress(@Nullable String name, String address) {
  /** https://www.rfc-editor.org/errata/eid1690: the longest path without its brackets. */
  private static final int LONGEST = 254;

  /** What separates addresses and names in a header, and is in no address that is not quoted. */
  private static final String SPECIALS = "()<>[]:;,\\\"@";

  /** The mailbox that {@code text} is, or null where it is none. */
  static @Nullable MailAddress parse(String text) {
    var all = text.strip();
    int bracket = all.lastIndexOf('<');
    if (bracket < 0) {
      return isAddress(all) ? new MailAddress(null, all) : null;
    }
    var name = unquoted(all.substring(0, bracket).strip());
    var address = all.endsWith(">") ? all.substring(bracket + 1, all.length() - 1) : "";
    boolean readable = name.chars().noneMatch(Character::isISOControl);
    return readable && isAddress(address)
        ? new MailAddress(name.isEmpty() ? null : name, address)
        : null;
  }

  private static String unquoted(String name) {
    boolean quoted = name.length() > 1 && name.startsWith("\"") && name.endsWith("\"");
    return quoted ? name.substring(1, name.length() - 1) : name;
  }

  private static boolean isAddress(String text) {
    int at = text.indexOf('@');
    return at > 0
        && text.length() <= LONGEST
        && isAtoms(text.substring(0, at))
        && isAtoms(text.substring(at + 1));
  }

  /** Words with single dots between them. */
  private static boolean isAtoms(String text) {
    boolean begun = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 127 || SPECIALS.indexOf(c) >= 0 || (c == '.' && !begun)) {
        return false;
      }
      begun = c != '.';
    }
    return begun;
  }

  /** As it stands in a configuration. */
  @Override
  public String toString() {
    return name == null ? address : name + " <" + address + ">";
  }
}
