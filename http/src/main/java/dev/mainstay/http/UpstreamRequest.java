package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.regex.Pattern;

/**
 * One request to a provider.
 *
 * @param method {@code POST}
 * @param path what follows the provider's base URL, with the query: {@code /chat/completions};
 *     begins with a slash
 * @param headers sent as they are; the client sets host, content-length or transfer-encoding, and
 *     connection itself and leaves out the hop-by-hop ones
 * @param body owned by the client from {@link UpstreamClient#send} on; a caller that may send it
 *     again passes {@code retainedDuplicate()}
 * @param streamedBody whether {@code body} is only the beginning, and {@link UpstreamCall#write}
 *     brings the rest
 * @param unpack whether a gzip or deflate answer is unpacked on arrival. {@code accept-encoding} is
 *     then narrowed to what can be unpacked
 * @param resendable whether the caller accepts that the request is sent a second time where a
 *     reused connection closed after it was sent and before any byte of an answer, although it may
 *     have been acted on. GET, HEAD and OPTIONS always are
 */
public record UpstreamRequest(
    String method,
    String path,
    HttpHeaders headers,
    ByteBuf body,
    boolean streamedBody,
    boolean unpack,
    boolean resendable) {
  /** A token, as RFC 9110, 5.6.2 has it. */
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}");

  /** Most requests have the path of the one before. */
  private static volatile String lastHarmless = "/";

  /**
   * Checks the method and the path.
   *
   * @throws IllegalArgumentException when the method is not a token, or {@link UrlPath#flaw} finds
   *     one in the path
   */
  public UpstreamRequest {
    if (!method.equals("POST") && !METHOD.matcher(method).matches())
      throw new IllegalArgumentException("the method is not one of HTTP");
    if (!path.equals(lastHarmless)) {
      String flaw = UrlPath.flaw(path);
      if (flaw != null) throw new IllegalArgumentException("the path has " + flaw);
      lastHarmless = path;
    }
  }

  /** A request with its whole body, whose answer is unpacked, and which is not sent twice. */
  public static UpstreamRequest of(String method, String path, HttpHeaders headers, ByteBuf body) {
    return new UpstreamRequest(method, path, headers, body, false, true, false);
  }

  /**
   * A request whose body follows through {@link UpstreamCall#write}, and whose answer is left
   * packed.
   */
  public static UpstreamRequest streamed(
      String method, String path, HttpHeaders headers, ByteBuf first) {
    return new UpstreamRequest(method, path, headers, first, true, false, false);
  }

  /** Without headers, which hold keys, and without the body. */
  @Override
  public String toString() {
    return method + " " + path;
  }
}
