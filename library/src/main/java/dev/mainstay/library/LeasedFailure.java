package dev.mainstay.library;

/** Tells a step's own failure together with the lease it happened on. Never leaves this package. */
final class LeasedFailure extends Exception {
  /** Makes a client anew. */
  @FunctionalInterface
  interface Refresh {
    void run() throws Exception;
  }

  private final transient Refresh refresh;

  /**
   * @param refresh sees to it that the next lease is of a newer generation than the failed one
   */
  LeasedFailure(Throwable cause, Refresh refresh) {
    super(null, cause, false, false);
    this.refresh = refresh;
  }

  Refresh refresh() {
    return refresh;
  }
}
