package dev.mainstay.gateway;

import dev.mainstay.http.BodySink;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Loop;
import dev.mainstay.wire.sse.SseScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.stream.Stream;

/**
 * An exchange whose client asked for a stream of Gemini's without {@code alt=sse}: Google answers
 * with a JSON array that grows by an element for each event, and so does this, whatever provider
 * the events come from. An error is an array of one element. Where the events hold a comment, the
 * array gets white space, which keeps the connection busy.
 */
final class JsonArrayExchange implements Exchange {
  private static final String TYPE = "application/json; charset=UTF-8";
  private static final byte[] FIRST = {'['};
  private static final byte[] NEXT = {',', '\r', '\n'};
  private static final byte[] LAST = {']'};

  /** What was written as one event is held already; the bound is for what never ends. */
  private static final int MAX_EVENT = 64 << 20;

  private final Exchange to;
  private final SseScanner scanner = new SseScanner(MAX_EVENT);
  private boolean opened;

  JsonArrayExchange(Exchange to) {
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
  public void respond(int status, String contentType, String body) {
    to.respond(status, contentType, status < 400 ? body : "[" + body + "]");
  }

  // ---- what is the same

  @Override
  public String method() {
    return to.method();
  }

  @Override
  public String path() {
    return to.path();
  }

  @Override
  public String query() {
    return to.query();
  }

  @Override
  public HttpHeaders headers() {
    return to.headers();
  }

  @Override
  public ByteBuf body() {
    return to.body();
  }

  @Override
  public byte[] takeBody() {
    return to.takeBody();
  }

  @Override
  public InetSocketAddress remote() {
    return to.remote();
  }

  @Override
  public boolean secure() {
    return to.secure();
  }

  @Override
  public Loop loop() {
    return to.loop();
  }

  @Override
  public void streamBody(BodySink sink) {
    to.streamBody(sink);
  }

  @Override
  public void pauseBody() {
    to.pauseBody();
  }

  @Override
  public void resumeBody() {
    to.resumeBody();
  }

  @Override
  public void writeRaw(ByteBuf bytes) {
    to.writeRaw(bytes);
  }

  @Override
  public void flush() {
    to.flush();
  }

  @Override
  public void abort() {
    to.abort();
  }

  @Override
  public void reset() {
    to.reset();
  }

  @Override
  public boolean begun() {
    return to.begun();
  }

  @Override
  public boolean over() {
    return to.over();
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

  @Override
  public void onOver(Over callback) {
    to.onOver(callback);
  }
}
