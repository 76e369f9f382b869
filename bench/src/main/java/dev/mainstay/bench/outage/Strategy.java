package dev.mainstay.bench.outage;

/** A way of carrying a question through: a fresh {@link Attempts} for each question. */
interface Strategy {
  /** Names it in the picture. */
  String name();

  /** One question, asked at {@code now} by the given client. */
  Attempts ask(int client, double now);

  /** Decides about the attempts of one question. Times in seconds. */
  interface Attempts {
    /** When to send the first attempt, or {@link #NEVER}. */
    double first(double now);

    /** Whether the attempt may be sent now that its time has come. */
    default boolean maySend(double now) {
      return true;
    }

    /** When to try again where {@link #maySend} said no, or {@link #NEVER}. */
    default double afterRefusal(double now) {
      return NEVER;
    }

    /** When to send the next attempt after one has failed, or {@link #NEVER}. */
    double afterFailure(boolean timedOut, double now);

    /** The question has its answer. */
    default void answered(double now) {}
  }

  /** No (further) attempt: the client gets the error. */
  double NEVER = Double.POSITIVE_INFINITY;
}
