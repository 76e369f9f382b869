package dev.mainstay.gateway;

import dev.mainstay.http.UrlPath;
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

  static String why(String path, HttpHeaders headers) {
    var flaw = UrlPath.flaw(path);
    if (flaw != null) {
      return NOTHING + ": it has " + flaw;
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
