package dev.mainstay.gateway.endpoint;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Loop;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/** A client at the other end of an exchange. */
public record ExchangeRecipient(Exchange exchange) implements Recipient {
  @Override
  public Loop loop() {
    return exchange.loop();
  }

  @Override
  public void respond(int status, HttpHeaders headers, ByteBuf body) {
    exchange.respond(status, headers, body);
  }

  @Override
  public void begin(int status, HttpHeaders headers) {
    exchange.begin(status, headers);
  }

  @Override
  public void write(ByteBuf data) {
    exchange.write(data);
  }

  @Override
  public void end() {
    exchange.end();
  }

  @Override
  public boolean writable() {
    return exchange.writable();
  }

  @Override
  public void onWritable(Runnable callback) {
    exchange.onWritable(callback);
  }

  @Override
  public void onGone(Runnable callback) {
    exchange.onGone(callback);
  }
}
