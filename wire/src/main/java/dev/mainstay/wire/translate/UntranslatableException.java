package dev.mainstay.wire.translate;

/** Something that the target's dialect cannot say, and without which the request means another. */
public final class UntranslatableException extends TranslationException {
  private static final long serialVersionUID = 1L;

  private final String name;

  public UntranslatableException(String name, String path, String message) {
    super(path, message);
    this.name = name;
  }

  /** The short stable name of what cannot be said. */
  public String name() {
    return name;
  }
}
