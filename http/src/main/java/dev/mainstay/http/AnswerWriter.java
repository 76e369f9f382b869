package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Frames one answer as HTTP/1.1 bytes.
 *
 * <p>What is added between two flushes becomes one chunk: a provider's burst of 200 events costs
 * one system call and not 200 (measured: 78 against 1,600 µs). Up to {@link #COPY} bytes are copied
 * behind their head into one buffer, since a write through the pipeline costs more than the copy;
 * larger parts go out as they are.
 */
final class AnswerWriter {
  private static final int COPY = 4096;
  private static final int HEAD = 512;
  private static final Set<String> OURS = Set.of("content-length", "connection", "date");
  private static final Set<String> OURS_STREAMED = Set.of("connection");

  static final byte[] CONTINUE = Heads.ascii("HTTP/1.1 100 Continue\r\n\r\n");

  private final Channel channel;
  private final boolean headOnly;
  private final boolean http10;
  private final ArrayList<ByteBuf> parts = new ArrayList<>(4);
  private int pending;
  private boolean chunked;
  private boolean bodiless;
  private boolean raw;
  private long announced = -1;
  private long written;
  private @Nullable ByteBuf head;
  private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;

  AnswerWriter(Channel channel, boolean headOnly, boolean http10) {
    this.channel = channel;
    this.headOnly = headOnly;
    this.http10 = http10;
  }

  /** Bytes added and not yet flushed. */
  int pending() {
    return pending;
  }

  /** Begins a whole answer of {@code length} bytes, of which {@code body} is the first part. */
  void whole(int status, HttpHeaders headers, ByteBuf body, int length, boolean close) {
    bodiless = headOnly || bodiless(status);
    ByteBuf out = channel.alloc().buffer(HEAD + Math.min(body.readableBytes(), COPY));
    Heads.statusLine(out, status);
    Heads.headers(out, headers, OURS);
    if (!bodiless(status)) {
      Heads.header(out, HttpHeaderNames.CONTENT_LENGTH, Integer.toString(length));
    }
    if (!headers.contains(HttpHeaderNames.DATE)) Heads.date(out);
    else Heads.header(out, HttpHeaderNames.DATE, headers.get(HttpHeaderNames.DATE));
    connection(out, close);
    head = out;
    if (bodiless || !body.isReadable()) body.release();
    else add(body);
  }

  /** Begins a streamed answer; whether only closing the connection can end it. */
  boolean begin(int status, HttpHeaders headers, boolean close) {
    bodiless = headOnly || bodiless(status);
    String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    if (length != null) announced = parse(length);
    chunked = length == null && !http10 && !bodiless(status);
    boolean untilClose = length == null && http10 && !bodiless;
    ByteBuf out = channel.alloc().buffer(HEAD);
    Heads.statusLine(out, status);
    Heads.headers(out, headers, OURS_STREAMED);
    if (!headers.contains(HttpHeaderNames.DATE)) Heads.date(out);
    if (chunked) Heads.header(out, HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    connection(out, close || untilClose);
    if (bodiless) chunked = false;
    head = out;
    return untilClose;
  }

  private void connection(ByteBuf out, boolean close) {
    if (close) Heads.header(out, HttpHeaderNames.CONNECTION, "close");
    else if (http10) Heads.header(out, HttpHeaderNames.CONNECTION, "keep-alive");
    out.writeBytes(Heads.CRLF);
  }

  private static boolean bodiless(int status) {
    return status == 204 || status == 304 || status < 200;
  }

  private static long parse(String length) {
    try {
      return Long.parseLong(length.strip());
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  void add(ByteBuf part) {
    if (bodiless) {
      part.release();
      return;
    }
    written += part.readableBytes();
    pending += part.readableBytes();
    parts.add(part);
  }

  /**
   * Whether what was written is not what the head announced, so that the connection cannot serve
   * another request.
   */
  boolean endBroken() {
    return announced >= 0 && !bodiless && announced != written;
  }

  /** What follows the body, where it is chunked. */
  void trailers(HttpHeaders fields) {
    trailers = fields;
  }

  /** Sends what is pending. */
  void flush() {
    // Nobody waits for it; a failure closes the connection, which is told in other ways.
    if (pending > 0 || head != null) send(false, channel.voidPromise());
  }

  /** Sends what is pending; completes when all that was written has been handed to the system. */
  ChannelFuture flushLast() {
    return send(false, channel.newPromise());
  }

  /** Sends what is pending and the end. */
  ChannelFuture finish() {
    return send(true, channel.newPromise());
  }

  private ChannelFuture send(boolean last, ChannelPromise promise) {
    ByteBuf out = head;
    head = null;
    if (pending == 0) {
      if (last && chunked) {
        out = room(out, 8);
        Heads.lastChunk(out, trailers);
      }
      return channel.writeAndFlush(out == null ? Unpooled.EMPTY_BUFFER : out, promise);
    }
    boolean copy = pending <= COPY;
    if (chunked || copy) out = room(out, 16 + (copy ? pending : 0));
    if (chunked && out != null) Heads.chunkSize(out, pending);
    if (copy && out != null) {
      for (ByteBuf part : parts) {
        out.writeBytes(part);
        part.release();
      }
      if (chunked) endChunk(out, last);
    } else {
      if (out != null) channel.write(out, channel.voidPromise());
      for (int i = 0; i < parts.size() - 1; i++) channel.write(parts.get(i), channel.voidPromise());
      out = parts.getLast();
      if (chunked) {
        channel.write(out, channel.voidPromise());
        out = channel.alloc().buffer(8);
        endChunk(out, last);
      }
    }
    parts.clear();
    pending = 0;
    return channel.writeAndFlush(out, promise);
  }

  private void endChunk(ByteBuf out, boolean last) {
    out.writeBytes(Heads.CRLF);
    if (last) Heads.lastChunk(out, trailers);
  }

  /** Sends a 100 in front of the answer; false to a client that knows none. */
  boolean interim() {
    if (!http10) channel.writeAndFlush(Unpooled.wrappedBuffer(CONTINUE), channel.voidPromise());
    return !http10;
  }

  /**
   * Sends a zero in front of the next chunk's size, where any number may stand (RFC 9112, 7.1);
   * false where the answer has no chunks. A few in one answer are harmless: readers bound the
   * digits.
   */
  boolean probe() {
    if (raw || !chunked) return false;
    if (head != null || pending > 0) flush();
    else if (channel.isWritable()) channel.writeAndFlush(zero(), channel.voidPromise());
    return true;
  }

  private ByteBuf zero() {
    return channel.alloc().buffer(1).writeByte('0');
  }

  /** From now on others write to the channel as well, and no framing is left. */
  void raw() {
    raw = true;
  }

  private ByteBuf room(@Nullable ByteBuf out, int bytes) {
    return out == null ? channel.alloc().buffer(bytes) : out;
  }

  /** Frees what was never sent. */
  void discard() {
    parts.forEach(ByteBuf::release);
    parts.clear();
    pending = 0;
    if (head != null) head.release();
    head = null;
  }
}
