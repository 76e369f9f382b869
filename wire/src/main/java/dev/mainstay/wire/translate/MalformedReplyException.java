package dev.mainstay.wire.translate;

/** Bytes that are no answer of their dialect. */
public final class MalformedReplyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what was found and where, without the answer's own text
   */
  public MalformedReplyException(String message) {
    super(message);
  }
}
