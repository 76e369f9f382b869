package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks a request's head beyond what the decoder checks, where two readers of one request could
 * disagree about whom it is for or where it ends (RFC 9112, 2.3, 3.2 and 6.3).
 */
final class RequestHeads {
  private RequestHeads() {}

  /**
   * Netty's decoder takes a length beside chunks out silently; RFC 9112, 6.3 allows to refuse it.
   */
  static final class Decoder extends HttpRequestDecoder {
    /** Netty's path of a request whose line it could not read. */
    private static final String UNREAD = "/bad-request";

    /** Enough of a path to tell which part of the server is meant. */
    private static final int LONGEST_PATH = 256;

    private static final Pattern TARGET = Pattern.compile("[A-Z]{1,20} +(/[!-\"$->@-~]*)");

    Decoder(ServerOptions options) {
      super(
          new HttpDecoderConfig()
              .setMaxInitialLineLength(options.limits().requestLine())
              .setMaxHeaderSize(options.limits().headers())
              .setMaxChunkSize(64 << 10)
              .setStrictLineParsing(true)
              .setUseRfc9112TransferEncoding(true));
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
        throws Exception {
      int start = in.readerIndex();
      int before = out.size();
      super.decode(ctx, in, out);
      if (out.size() > before
          && out.get(before) instanceof HttpRequest head
          && head.decoderResult().isFailure()
          && head.uri().equals(UNREAD)) {
        head.setUri(path(in, start));
      }
    }

    /** The path of a request line that was not read, as far as it goes; bytes skipped are there. */
    private static String path(ByteBuf in, int start) {
      int most = Math.min(in.writerIndex() - start, LONGEST_PATH);
      var line = in.toString(start, most, StandardCharsets.ISO_8859_1).strip();
      var target = TARGET.matcher(line);
      return target.lookingAt() ? target.group(1) : UNREAD;
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
      throw new IllegalArgumentException("both a length and chunks");
    }
  }

  /**
   * The refusal where {@code head} is not one request to one host, else null. A target in absolute
   * form is changed to the origin form, so that the rest of the server knows one form.
   */
  static @Nullable Refusal check(HttpRequest head) {
    HttpVersion version = head.protocolVersion();
    boolean old = version.equals(HttpVersion.HTTP_1_0);
    if (!old && !version.equals(HttpVersion.HTTP_1_1)) return Refusal.UNKNOWN_VERSION;
    if (!framed(head, old)) return Refusal.MALFORMED;
    List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
    if (hosts.size() > 1 || (hosts.isEmpty() && !old)) return Refusal.BAD_HOST;
    @Nullable Authority host = null;
    if (!hosts.isEmpty()) {
      host = Authority.parse(hosts.getFirst());
      if (host == null) return Refusal.BAD_HOST;
    }
    return target(head, host);
  }

  private static boolean framed(HttpRequest head, boolean old) {
    List<String> encodings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (encodings.isEmpty()) return true;
    return !old && encodings.size() == 1 && encodings.getFirst().equalsIgnoreCase("chunked");
  }

  private static @Nullable Refusal target(HttpRequest head, @Nullable Authority host) {
    String target = head.uri();
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c >= 127 || c == '#') return Refusal.MALFORMED;
    }
    if (target.startsWith("/")) return null;
    if (target.equals("*") && head.method().name().equals("OPTIONS")) return null;
    int scheme = target.indexOf("://");
    String name = scheme < 0 ? "" : target.substring(0, scheme).toLowerCase(Locale.ROOT);
    if (!name.equals("http") && !name.equals("https")) return Refusal.MALFORMED;
    int from = scheme + 3;
    int end = from;
    while (end < target.length() && "/?".indexOf(target.charAt(end)) < 0) end++;
    Authority named = Authority.parse(target.substring(from, end));
    if (named == null || (host != null && !named.equals(host))) return Refusal.BAD_HOST;
    String rest = target.substring(end);
    head.setUri(rest.startsWith("/") ? rest : "/" + rest);
    if (host == null) head.headers().set(HttpHeaderNames.HOST, target.substring(from, end));
    return null;
  }
}
