package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Packs whole answers for clients that take gzip, which all do that take anything.
 *
 * <p>Small ones stay as they are: what fits the first ten segments of a connection arrives in one
 * round trip however small it is made (RFC 6928), and packing costs several times what passing it
 * on does. Streams stay as they are: an event packed by itself hardly shrinks, and each stream
 * would hold the packer's 256 KiB.
 */
final class Packer {
  /** Up to here it takes less than a millisecond, on the loop; beyond, a thread of its own. */
  static final int AT_ONCE = 64 << 10;

  private static final List<String> KINDS = List.of("json", "text/", "javascript", "xml", "svg");

  private Packer() {}

  /** Whether an answer is worth packing for one client or another. */
  static boolean worthwhile(int status, HttpHeaders headers, int size, int from) {
    return from > 0
        && size >= from
        && status >= 200
        && status != 204
        && status != 206
        && status != 304
        && !headers.contains(HttpHeaderNames.CONTENT_ENCODING)
        && packable(headers.get(HttpHeaderNames.CONTENT_TYPE))
        && !headers.containsValue(HttpHeaderNames.CACHE_CONTROL, "no-transform", true);
  }

  private static boolean packable(@Nullable String type) {
    if (type == null) return false;
    String lower = type.toLowerCase(Locale.ROOT);
    return KINDS.stream().anyMatch(lower::contains);
  }

  /** Whether the asking client takes gzip (RFC 9110, 12.5.3). */
  static boolean taken(HttpHeaders request) {
    boolean any = false;
    for (String value : request.getAll(HttpHeaderNames.ACCEPT_ENCODING)) {
      for (String coding : value.toLowerCase(Locale.ROOT).split(",", -1)) {
        int semicolon = coding.indexOf(';');
        String name = (semicolon < 0 ? coding : coding.substring(0, semicolon)).strip();
        boolean wanted = semicolon < 0 || !zero(coding.substring(semicolon + 1));
        if (name.equals("gzip") || name.equals("x-gzip")) return wanted;
        if (name.equals("*")) any = wanted;
      }
    }
    return any;
  }

  /** Whether a weight is 0, in any way of writing it. */
  private static boolean zero(String weight) {
    String text = weight.strip();
    return text.startsWith("q=0") && text.chars().skip(3).allMatch(c -> c == '.' || c == '0');
  }

  /** The headers of an answer that was worth packing, packed or not. */
  static HttpHeaders headers(HttpHeaders headers, boolean packed) {
    var changed =
        new DefaultHttpHeaders().set(headers).add(HttpHeaderNames.VARY, "accept-encoding");
    if (packed) changed.set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
    return changed;
  }

  /** Packs {@code body}, which it owns. */
  static ByteBuf gzip(ByteBuf body, ByteBufAllocator alloc) {
    ByteBuf packed = alloc.buffer(Math.max(512, body.readableBytes() / 4));
    try (var in = new ByteBufInputStream(body);
        var out = new Fast(new ByteBufOutputStream(packed))) {
      in.transferTo(out);
    } catch (IOException e) {
      // Neither end is a file or a socket.
      throw new UncheckedIOException(e);
    } finally {
      body.release();
    }
    return packed;
  }

  /** The fastest level: the others win a tenth of the size for several times the time. */
  private static final class Fast extends GZIPOutputStream {
    Fast(ByteBufOutputStream out) throws IOException {
      super(out, 8192);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}
