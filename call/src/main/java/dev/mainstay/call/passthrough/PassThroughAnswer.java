package dev.mainstay.call.passthrough;

import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The head of an answer that passes through. */
final class PassThroughAnswer {
  /** What describes the body, which stays as it came. */
  private static final List<String> BODY = List.of("content-encoding", "content-length");

  /** Where an upload at Google goes on. Source: https://ai.google.dev/api/files */
  private static final List<String> UPLOADS =
      List.of("x-goog-upload-url", "x-goog-upload-control-url");

  /** Where a new resource is. */
  private static final List<String> RESOURCES = List.of("location", "content-location");

  private PassThroughAnswer() {}

  /**
   * What of {@code from} goes to the client.
   *
   * @param refused what an error means, or null for a good answer
   * @param base the provider's base URL
   * @param self what stands in its place for clients
   */
  static HttpHeaders head(
      int status, HttpHeaders from, @Nullable Verdict refused, URI base, String self) {
    var headers = HeaderRules.answer(from);
    for (var name : BODY) {
      set(headers, name, from.get(name));
    }
    for (var names : List.of(UPLOADS, RESOURCES)) {
      for (var name : names) {
        var address = from.get(name);
        set(headers, name, address == null ? null : throughGateway(address, base, self));
      }
    }
    set(headers, "retry-after", from.get("retry-after"));
    if (refused != null) {
      headers.set("x-mainstay-verdict", refused.label());
      // The provider may know better that a retry is useless, not that one is safe.
      headers.set(
          "x-should-retry",
          refused.failureClass() == FailureClass.TRANSIENT
              && !"false".equals(from.get("x-should-retry")));
      if (status == 429 || status == 503) {
        var wait = ErrorMapper.retryAfter(null, refused);
        headers.set("retry-after", Math.max(1, wait.plusMillis(999).toSeconds()));
        headers.set("retry-after-ms", Math.max(1, wait.toMillis()));
      }
    }
    return headers;
  }

  /** The name of a header that an upload goes on at, where that is not at the provider; or null. */
  static @Nullable String leadsElsewhere(HttpHeaders from, URI base, String self) {
    for (var name : UPLOADS) {
      var address = from.get(name);
      if (address != null && throughGateway(address, base, self) == null) {
        return name;
      }
    }
    return null;
  }

  private static void set(HttpHeaders headers, String name, @Nullable String value) {
    if (value != null) {
      headers.set(name, value);
    }
  }

  /**
   * An address at the provider as the client reaches it through this gateway; null where it leads
   * elsewhere: the client would take its key there.
   */
  static @Nullable String throughGateway(String address, URI base, String self) {
    try {
      var to = base.resolve(address);
      var below = base.getRawPath() == null ? "" : base.getRawPath().replaceAll("/+$", "");
      var path = to.getRawPath() == null ? "" : to.getRawPath();
      boolean within = path.startsWith(below + "/") || path.equals(below);
      if (!within || !sameOrigin(to, base)) {
        return null;
      }
      var query = to.getRawQuery();
      return self + path.substring(below.length()) + (query == null ? "" : "?" + query);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean sameOrigin(URI one, URI other) {
    return one.getScheme() != null
        && one.getHost() != null
        && one.getScheme().equalsIgnoreCase(other.getScheme())
        && one.getHost().equalsIgnoreCase(other.getHost())
        && port(one) == port(other);
  }

  private static int port(URI uri) {
    return uri.getPort() >= 0
        ? uri.getPort()
        : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
  }
}
