package dev.mainstay.app;

/** What was asked cannot be done as it was asked: exit code 2. The message says what can. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
