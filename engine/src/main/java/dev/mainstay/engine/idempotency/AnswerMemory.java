package dev.mainstay.engine.idempotency;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What answers that can still be joined may hold. An answer beyond its bound goes on to those who
 * read it already, and can be neither joined nor given again. Thread-safe.
 */
final class AnswerMemory {
  /** Of one answer, 8 MiB: the longest of today's models, twice over. */
  static final int PER_ANSWER = 8 << 20;

  /** Of all answers together, a quarter of the heap. */
  private static final long TOTAL = Runtime.getRuntime().maxMemory() / 4;

  private final int perAnswer;
  private final long total;
  private final AtomicLong held = new AtomicLong();

  AnswerMemory(int perAnswer, long total) {
    this.perAnswer = perAnswer;
    this.total = total;
  }

  static AnswerMemory standard() {
    return new AnswerMemory(PER_ANSWER, TOTAL);
  }

  /** Whether {@code more} bytes may be held by an answer that holds {@code already}. */
  boolean take(long already, int more) {
    if (already + more > perAnswer) {
      return false;
    }
    if (held.addAndGet(more) > total) {
      held.addAndGet(-more);
      return false;
    }
    return true;
  }

  void give(long bytes) {
    held.addAndGet(-bytes);
  }

  long held() {
    return held.get();
  }
}
