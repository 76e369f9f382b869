package dev.mainstay.app;

/**
 * A command could not do what it was asked to: exit code 1. The message says why, and what helps.
 */
public final class FailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FailedException(String message) {
    super(message);
  }

  public FailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
