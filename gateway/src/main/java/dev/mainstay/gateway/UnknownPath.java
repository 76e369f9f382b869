package dev.mainstay.gateway;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * Paths that nothing is offered at, and what to tell who asks there: most have a base URL wrong.
 */
final class UnknownPath {
  private static final String NOTHING = "nothing is offered at this path";

  private UnknownPath() {}

  /** Whether it begins with the version twice, as where a base URL has one that its SDK adds. */
  static boolean isTwice(String path) {
    return path.startsWith("/v1/v1/") || path.startsWith("/v1/v1beta/");
  }

  /**
   * Whether it leads out of where it begins, or holds what no path does: a provider's key is sent
   * under its base URL alone, and what stands between here and there may take such a path for
   * another one.
   */
  static boolean isNone(String path) {
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c <= ' ' || c == 0x7f || c == '\\') {
        return true;
      }
    }
    for (var segment : path.split("/", -1)) {
      var plain = segment.replace("%2e", ".").replace("%2E", ".");
      if (plain.equals(".") || plain.equals("..")) {
        return true;
      }
    }
    return false;
  }

  static String why(String path, HttpHeaders headers) {
    if (isNone(path)) {
      return NOTHING + ": it has . or .. between slashes, or a character that no path has";
    }
    if (isTwice(path)) {
      return NOTHING + "; without the first /v1 there is: this SDK's base URL has none here";
    }
    if (path.startsWith("/providers/")) {
      return NOTHING + ": it is /providers/NAME/… with the name of a provider that has a key";
    }
    boolean withVersion =
        Faces.of("/v1" + path, headers) != null || Faces.listed("/v1" + path) != null;
    return withVersion
        ? NOTHING + "; with /v1 before it there is: this SDK's base URL ends in /v1 here"
        : NOTHING
            + "; clients ask under /v1, /v1beta and /providers, operators under /api and /health";
  }
}
