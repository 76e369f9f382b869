package dev.mainstay.gateway.endpoint;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.http.Loop;
import dev.mainstay.wire.sse.SseScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.util.stream.Stream;

/**
 * A client that asked for a stream of Gemini's without {@code alt=sse}: Google answers with a JSON
 * array that grows by an element for each event, and so does this, whatever provider the events
 * come from. An error is an array of one element. Where the events hold a comment, the array gets
 * white space, which keeps the connection busy.
 */
final class JsonArrayRecipient implements Recipient {
  private static final String TYPE = "application/json; charset=UTF-8";
  private static final byte[] FIRST = {'['};
  private static final byte[] NEXT = {',', '\r', '\n'};
  private static final byte[] LAST = {']'};

  /** What was written as one event is held already; the bound is for what never ends. */
  private static final int MAX_EVENT = 64 << 20;

  private final Recipient to;
  private final SseScanner scanner = new SseScanner(MAX_EVENT);
  private boolean opened;

  JsonArrayRecipient(Recipient to) {
    this.to = to;
  }

  /** Whether a request with this query wants an array rather than events. */
  static boolean isMeant(Faces.Face face, String query) {
    return face.stream()
        && Stream.of(query.split("&")).noneMatch(each -> each.matches("(\\$|%24)?alt=sse"));
  }

  @Override
  public void begin(int status, HttpHeaders headers) {
    headers.set(HttpHeaderNames.CONTENT_TYPE, TYPE);
    to.begin(status, headers);
  }

  @Override
  public void write(ByteBuf data) {
    byte[] bytes = ByteBufUtil.getBytes(data);
    data.release();
    var out = new ByteArrayOutputStream(bytes.length + 16);
    scanner.feed(
        bytes,
        0,
        bytes.length,
        event -> {
          if (event.hasData()) {
            out.writeBytes(opened ? NEXT : FIRST);
            opened = true;
            out.write(event.data(), event.dataStart(), event.dataLength());
          } else {
            out.write('\n');
          }
          return true;
        });
    to.write(Unpooled.wrappedBuffer(out.toByteArray()));
  }

  @Override
  public void end() {
    to.write(Unpooled.wrappedBuffer(opened ? LAST : new byte[] {'[', ']'}));
    to.end();
  }

  @Override
  public void respond(int status, HttpHeaders headers, ByteBuf body) {
    to.respond(
        status,
        headers,
        status < 400
            ? body
            : Unpooled.wrappedBuffer(
                Unpooled.wrappedBuffer(FIRST), body, Unpooled.wrappedBuffer(LAST)));
  }

  @Override
  public Loop loop() {
    return to.loop();
  }

  @Override
  public boolean writable() {
    return to.writable();
  }

  @Override
  public void onWritable(Runnable callback) {
    to.onWritable(callback);
  }

  @Override
  public void onGone(Runnable callback) {
    to.onGone(callback);
  }
}
