package dev.mainstay.wire.translate;

/** Why a request is not translated. Its message names fields and nothing of their content. */
public abstract sealed class TranslationException extends RuntimeException
    permits LossRefusedException, MalformedRequestException, UntranslatableException {
  private static final long serialVersionUID = 1L;

  private final String path;

  TranslationException(String path, String message) {
    super(path.isEmpty() ? message : path + ": " + message);
    this.path = path;
  }

  /** The field, as a path into the client's own request; empty for the body itself. */
  public String path() {
    return path;
  }
}
