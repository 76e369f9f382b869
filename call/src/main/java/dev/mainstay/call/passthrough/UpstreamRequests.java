package dev.mainstay.call.passthrough;

import dev.mainstay.call.admission.AttemptPermit;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.http.UpstreamRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;

/** Requests that pass through as their provider gets them. */
final class UpstreamRequests {
  private UpstreamRequests() {}

  /** The request with the provider's headers and key; its body follows where it is streamed. */
  static UpstreamRequest of(
      PassThroughRequest request,
      PassThroughRouter.ProviderPath way,
      AttemptPermit permit,
      PassThroughBody body) {
    var headers = new DefaultHttpHeaders();
    request.origin().headers().forEach(headers::set);
    headers.set(HttpHeaderNames.USER_AGENT, "mainstay");
    headers.set("x-mainstay-via", request.origin().via());
    if (body.announced() >= 0) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, body.announced());
    }
    var spec = permit.provider.spec;
    spec.headers().forEach(headers::set);
    var key = permit.key();
    if (key != null) {
      HeaderRules.authorise(headers, spec.api(), key.value);
    }
    // Of a part nothing can be unpacked, and of no body neither.
    boolean unpack =
        !request.method().equals("HEAD") && !request.origin().headers().containsKey("range");
    return new UpstreamRequest(
        request.method(), way.path(), headers, body.content(), body.isStreamed(), unpack, false);
  }
}
