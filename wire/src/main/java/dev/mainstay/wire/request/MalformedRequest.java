package dev.mainstay.wire.request;

/** A request that cannot be read. The message names the place, and nothing of the content. */
public final class MalformedRequest extends Exception {
  public MalformedRequest(String message) {
    super(message);
  }
}
