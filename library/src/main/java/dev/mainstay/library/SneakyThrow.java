package dev.mainstay.library;

/** Throws what was thrown, checked or not: the caller sees the original exception. */
final class SneakyThrow {
  private SneakyThrow() {}

  static RuntimeException throwing(Throwable original) {
    SneakyThrow.<RuntimeException>raise(original);
    return new IllegalStateException(original); // never reached: raise always throws
  }

  @SuppressWarnings("unchecked") // the cast is erased, which is the point
  private static <E extends Throwable> void raise(Throwable original) throws E {
    throw (E) original;
  }
}
