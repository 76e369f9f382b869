package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Writes heads of requests and answers as bytes, and keeps out of them what would break the
 * framing.
 */
final class Heads {
  /**
   * Headers that belong to one connection and not to the message (RFC 9110, 7.6.1), and the framing
   * itself.
   */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /**
   * Fields that may not follow a body, since who has begun to read it needs them before (RFC 9110,
   * 6.5.1): framing, routing, controls, authentication, what the content is.
   */
  private static final Set<String> NOT_TRAILERS =
      Set.of(
          "host",
          "content-length",
          "content-type",
          "content-encoding",
          "content-range",
          "authorization",
          "cookie",
          "set-cookie",
          "location",
          "www-authenticate",
          "expect",
          "range",
          "cache-control",
          "date",
          "expires",
          "vary",
          "retry-after");

  /** Every name that a caller may leave out; see {@link #headers}. */
  private static final Set<String> EXCEPTIONS =
      Set.of("host", "content-length", "expect", "connection", "date", "accept-encoding");

  /** The lengths of all those names, a bit each. */
  private static final long SUSPECTS =
      Stream.concat(HOP_BY_HOP.stream(), EXCEPTIONS.stream())
          .mapToLong(name -> 1L << name.length())
          .reduce(0, (one, other) -> one | other);

  /** Bytes of a header line that is put together without a buffer of its own. */
  private static final int LINE = 1024;

  private static final FastThreadLocal<byte[]> SCRATCH =
      new FastThreadLocal<>() {
        @Override
        protected byte[] initialValue() {
          return new byte[LINE];
        }
      };

  private static final byte[] VERSION = ascii("HTTP/1.1 ");
  private static final byte[] END_OF_REQUEST_LINE = ascii(" HTTP/1.1\r\n");
  static final byte[] CRLF = ascii("\r\n");
  private static final byte[] LAST_CHUNK = ascii("0\r\n");
  private static final byte[] HEX = ascii("0123456789abcdef");

  private static volatile Date date = new Date(0, new byte[0]);

  private record Date(long second, byte[] line) {}

  private Heads() {}

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static void statusLine(ByteBuf out, int status) {
    out.writeBytes(VERSION);
    out.writeByte('0' + status / 100 % 10)
        .writeByte('0' + status / 10 % 10)
        .writeByte('0' + status % 10);
    out.writeByte(' ');
    ByteBufUtil.writeAscii(out, HttpResponseStatus.valueOf(status).reasonPhrase());
    out.writeBytes(CRLF);
  }

  static void requestLine(ByteBuf out, String method, String prefix, String path) {
    ByteBufUtil.writeAscii(out, method);
    out.writeByte(' ');
    ByteBufUtil.writeAscii(out, prefix);
    ByteBufUtil.writeAscii(out, path);
    out.writeBytes(END_OF_REQUEST_LINE);
  }

  /**
   * All headers but the hop-by-hop ones, those that {@code connection} names, and {@code except}
   * (lower case).
   */
  static void headers(ByteBuf out, HttpHeaders headers, Set<String> except) {
    Set<String> named = namedByConnection(headers);
    var each = headers.iteratorCharSequence();
    while (each.hasNext()) {
      Map.Entry<CharSequence, CharSequence> header = each.next();
      CharSequence given = header.getKey();
      // Most names are told apart by their length alone, which spares them the lookups.
      if (!named.isEmpty()
          || (SUSPECTS >>> given.length() & 1) != 0
          || given.length() >= Long.SIZE) {
        String name = lower(given);
        if (HOP_BY_HOP.contains(name) || except.contains(name) || named.contains(name)) continue;
      }
      header(out, header.getKey(), header.getValue());
    }
  }

  private static Set<String> namedByConnection(HttpHeaders headers) {
    String connection = headers.get(HttpHeaderNames.CONNECTION);
    if (connection == null
        || connection.equalsIgnoreCase("keep-alive")
        || connection.equalsIgnoreCase("close")) {
      return Set.of();
    }
    // Set.copyOf and not Set.of, which refuses doubles.
    return Set.copyOf(List.of(connection.toLowerCase(Locale.ROOT).replace(" ", "").split(",")));
  }

  static void header(ByteBuf out, CharSequence name, CharSequence value) {
    int nameLength = name.length();
    int length = nameLength + value.length() + 4;
    byte[] line = length <= LINE ? SCRATCH.get() : new byte[length];
    if (nameLength == 0) return;
    for (int i = 0; i < nameLength; i++) {
      char c = name.charAt(i);
      if (c <= ' ' || c >= 127 || c == ':') return;
      line[i] = (byte) c;
    }
    line[nameLength] = ':';
    line[nameLength + 1] = ' ';
    int at = nameLength + 2;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      // A line break in a value would end the header and begin one of its author's choice.
      line[at++] = c == '\r' || c == '\n' || c == 0 ? (byte) ' ' : c > 255 ? (byte) '?' : (byte) c;
    }
    line[at] = '\r';
    line[at + 1] = '\n';
    out.writeBytes(line, 0, length);
  }

  static void date(ByteBuf out) {
    long second = System.currentTimeMillis() / 1000;
    Date current = date;
    if (current.second != second) {
      String text =
          DateTimeFormatter.RFC_1123_DATE_TIME.format(
              Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC));
      current = new Date(second, ascii("date: " + text + "\r\n"));
      date = current;
    }
    out.writeBytes(current.line);
  }

  /** The line before a chunk of {@code size} bytes. */
  static void chunkSize(ByteBuf out, int size) {
    int shift = 28;
    while (shift > 0 && size >>> shift == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) out.writeByte(HEX[size >>> shift & 15]);
    out.writeBytes(CRLF);
  }

  /** The end of a chunked body; fields that may not follow one (RFC 9110, 6.5.1) are left out. */
  static void lastChunk(ByteBuf out, HttpHeaders trailers) {
    out.writeBytes(LAST_CHUNK);
    for (Map.Entry<String, String> field : trailers) {
      String name = lower(field.getKey());
      if (!HOP_BY_HOP.contains(name) && !NOT_TRAILERS.contains(name)) {
        header(out, field.getKey(), field.getValue());
      }
    }
    out.writeBytes(CRLF);
  }

  private static String lower(CharSequence name) {
    String text = name instanceof AsciiString ascii ? ascii.toString() : name.toString();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 'A' && c <= 'Z') return text.toLowerCase(Locale.ROOT);
    }
    return text;
  }
}
