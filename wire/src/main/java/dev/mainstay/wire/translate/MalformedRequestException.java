package dev.mainstay.wire.translate;

/** A request that is none of its own dialect: no target can be asked with it. */
public final class MalformedRequestException extends TranslationException {
  private static final long serialVersionUID = 1L;

  public MalformedRequestException(String path, String message) {
    super(path, message);
  }
}
