package dev.mainstay.wire.translate;

/** Something would be left out, and the setting is to refuse that. */
public final class LossRefusedException extends TranslationException {
  private static final long serialVersionUID = 1L;

  private final String name;

  /**
   * @param name the name under which it would have been said
   */
  public LossRefusedException(String name, String path, String message) {
    super(path, message);
    this.name = name;
  }

  /** The short stable name of what would be lost. */
  public String name() {
    return name;
  }
}
