package dev.mainstay.engine.idempotency;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.http.Loop;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A client that reads as fast as the test lets it. */
final class FakeRecipient implements Recipient {
  private final FakeLoop loop;
  private @Nullable Runnable onWritable;
  private @Nullable Runnable onGone;
  final StringBuilder got = new StringBuilder();
  int status;
  boolean writable = true;
  boolean ended;

  FakeRecipient(FakeLoop loop) {
    this.loop = loop;
  }

  void leave() {
    if (!ended && onGone != null) {
      onGone.run();
    }
  }

  void writable(boolean value) {
    writable = value;
    if (value && onWritable != null) {
      onWritable.run();
    }
  }

  @Override
  public void respond(int code, HttpHeaders headers, ByteBuf body) {
    status = code;
    got.append(body.toString(StandardCharsets.UTF_8));
    ended = true;
  }

  @Override
  public void begin(int code, HttpHeaders headers) {
    status = code;
  }

  @Override
  public void write(ByteBuf data) {
    got.append(data.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void end() {
    ended = true;
  }

  @Override
  public boolean writable() {
    return writable;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = callback;
  }

  @Override
  public void onGone(Runnable callback) {
    onGone = callback;
  }

  @Override
  public Loop loop() {
    return loop;
  }
}
