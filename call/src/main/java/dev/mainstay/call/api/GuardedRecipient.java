package dev.mainstay.call.api;

import dev.mainstay.http.GuardedLoop;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * A recipient whose loop and callbacks are guarded: what they throw ends the call they are for.
 *
 * @param loop the guard of the call, over the recipient's own loop
 */
public record GuardedRecipient(Recipient to, GuardedLoop loop) implements Recipient {
  @Override
  public void respond(int status, HttpHeaders headers, ByteBuf body) {
    to.respond(status, headers, body);
  }

  @Override
  public void begin(int status, HttpHeaders headers) {
    to.begin(status, headers);
  }

  @Override
  public void write(ByteBuf data) {
    to.write(data);
  }

  @Override
  public void end() {
    to.end();
  }

  @Override
  public boolean writable() {
    return to.writable();
  }

  @Override
  public void onWritable(Runnable callback) {
    to.onWritable(loop.guarded(callback));
  }

  @Override
  public void onGone(Runnable callback) {
    to.onGone(loop.guarded(callback));
  }
}
