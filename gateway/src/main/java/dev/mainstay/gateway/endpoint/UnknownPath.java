package dev.mainstay.gateway.endpoint;

import dev.mainstay.http.UrlPath;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * Paths that nothing is offered at, and what to tell who asks there: most have a base URL wrong.
 */
public final class UnknownPath {
  private static final String NOTHING = "this path does not exist";

  private UnknownPath() {}

  /** Whether it begins with the version twice, as where a base URL has one that its SDK adds. */
  public static boolean isTwice(String path) {
    return path.startsWith("/v1/v1/") || path.startsWith("/v1/v1beta/");
  }

  public static String why(String path, HttpHeaders headers) {
    var flaw = UrlPath.flaw(path);
    if (flaw != null) {
      return NOTHING + ": it has " + flaw;
    }
    if (isTwice(path)) {
      return NOTHING + "; it exists without the first /v1: use a base URL without /v1 for this SDK";
    }
    if (path.startsWith("/providers/")) {
      return NOTHING + ": use /providers/NAME/… with the name of a provider that has a key";
    }
    boolean withVersion =
        Faces.of("/v1" + path, headers) != null || Faces.listed("/v1" + path) != null;
    return withVersion
        ? NOTHING + "; it exists with /v1 before it: use a base URL that ends in /v1 for this SDK"
        : NOTHING + "; clients use /v1, /v1beta and /providers, operators /api and /health";
  }
}
