package dev.mainstay.call.upstream;

import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;

/**
 * What a provider answers, before anything else in this process reads it: every header, part and
 * trailer has the provider's keys masked. Nothing behind it can pass on, log or store what it never
 * saw. Belongs to the call's loop.
 */
final class ProviderAnswer implements UpstreamListener {
  private final UpstreamListener to;
  private final SecretMask mask;
  private final SecretMask.Body body;

  ProviderAnswer(UpstreamListener to, SecretMask mask) {
    this.to = to;
    this.mask = mask;
    body = mask.body();
  }

  @Override
  public void connected(boolean reused) {
    to.connected(reused);
  }

  @Override
  public void sent() {
    to.sent();
  }

  @Override
  public void headers(int status, HttpHeaders headers) {
    to.headers(status, masked(headers));
  }

  @Override
  public void data(ByteBuf part) {
    deliver(body.add(part));
  }

  @Override
  public void readComplete() {
    to.readComplete();
  }

  @Override
  public void trailers(HttpHeaders trailers) {
    to.trailers(masked(trailers));
  }

  @Override
  public void end() {
    deliver(body.end());
    to.end();
  }

  @Override
  public void failed(UpstreamFailure failure) {
    to.failed(failure);
  }

  private void deliver(ByteBuf part) {
    if (part.isReadable()) {
      to.data(part);
    } else {
      part.release();
    }
  }

  /** The same headers where no key is in them, which is always but for a provider's mistake. */
  @SuppressWarnings("ReferenceEquality") // text() gives back what it did not change
  private HttpHeaders masked(HttpHeaders headers) {
    boolean clean = true;
    for (var header : headers) {
      clean &=
          mask.text(header.getValue()) == header.getValue()
              && mask.text(header.getKey()) == header.getKey();
    }
    if (clean) {
      return headers;
    }
    var masked = DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
    for (var header : headers) {
      // A name with a key in it names nothing.
      if (mask.text(header.getKey()) == header.getKey()) {
        masked.add(header.getKey(), mask.text(header.getValue()));
      }
    }
    return masked;
  }
}
