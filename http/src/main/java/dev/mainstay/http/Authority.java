package dev.mainstay.http;

import io.netty.util.NetUtil;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A host and port as {@code Host} and {@code Origin} write them (RFC 3986, 3.2, without the user
 * information that HTTP forbids).
 *
 * @param host in lower case; an IPv6 address without its brackets; "" where a client leaves it
 *     empty
 * @param port 1 to 65535, or -1 where none is written
 */
public record Authority(String host, int port) {
  /** Reads {@code text}; null where it is no host with at most a port. */
  public static @Nullable Authority parse(String text) {
    int end = text.startsWith("[") ? text.indexOf(']') + 1 : hostEnd(text);
    if (end < 0 || (end == 0 && text.startsWith("["))) return null;
    String host = text.substring(0, end).toLowerCase(Locale.ROOT);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
      if (!NetUtil.isValidIpV6Address(host)) return null;
    } else if (!areHostCharacters(host)) {
      return null;
    }
    int port = -1;
    if (end < text.length()) {
      port = text.charAt(end) == ':' ? port(text.substring(end + 1)) : -2;
      if (port == -2) return null;
    }
    return new Authority(host, port);
  }

  private static int hostEnd(String text) {
    int colon = text.indexOf(':');
    return colon < 0 ? text.length() : colon;
  }

  /** -1 for none, -2 for what is no port. */
  private static int port(String digits) {
    if (digits.isEmpty()) return -1;
    if (digits.length() > 5) return -2;
    int port = 0;
    for (int i = 0; i < digits.length(); i++) {
      char c = digits.charAt(i);
      if (c < '0' || c > '9') return -2;
      port = port * 10 + (c - '0');
    }
    return port > 0 && port <= 65_535 ? port : -2;
  }

  /**
   * Unreserved characters and sub-delimiters; nothing that this server is known by needs an escape.
   * Read for every request, so without a stream.
   */
  private static boolean areHostCharacters(String host) {
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!plain && "-._~!$&'()*+,;=".indexOf(c) < 0) return false;
    }
    return true;
  }

  /**
   * Whether the name can only mean this machine, so that no name server has a say in it: {@code
   * localhost} and what is below it (RFC 6761, 6.3), also with the root's dot, or a loopback
   * address.
   */
  public boolean isLoopback() {
    String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    if (name.equals("localhost") || name.endsWith(".localhost")) return true;
    byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
    if (address == null) return false;
    if (address.length == 4) return address[0] == 127;
    for (int i = 0; i < 10; i++) if (address[i] != 0) return false;
    boolean mapped = address[10] == -1 && address[11] == -1 && address[12] == 127;
    boolean one = address[15] == 1;
    for (int i = 10; i < 15; i++) one &= address[i] == 0;
    return mapped || one;
  }
}
