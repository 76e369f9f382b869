package dev.mainstay.ledger;

/**
 * Too much is being read at once, or one question takes too long: the same may be asked again
 * later, or a narrower one.
 */
public final class LedgerBusyException extends LedgerException {
  private static final long serialVersionUID = 1;

  public LedgerBusyException(String message, Throwable cause) {
    super(message, cause);
  }

  public LedgerBusyException(String message) {
    super(message);
  }
}
