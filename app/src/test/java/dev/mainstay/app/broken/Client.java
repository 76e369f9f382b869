package dev.mainstay.app.broken;

/** A client of one gateway, which asks for streams and reads them to their end. Thread-safe. */
interface Client extends AutoCloseable {
  /**
   * Asks {@code model} for a stream.
   *
   * @param more further fields of the request, each after a comma
   */
  Answered ask(String model, String more) throws Exception;

  @Override
  void close();

  /** Makes a client of the gateway at {@code base}, a URL without a path. */
  @FunctionalInterface
  interface Kind {
    Client of(String base);
  }

  /**
   * @param raw what it was told from, for people
   */
  record Answered(Heard heard, String raw) {
    /** On a machine that is busy with other things the gateway may say: shortly, please. */
    static final String SHORTLY = "more requests than it can";

    boolean refused() {
      return raw.contains(SHORTLY);
    }
  }
}
