package dev.mainstay.core.guard;

/**
 * Counts of two things over the last while, in slots of equal length. Not thread-safe.
 *
 * <p>A slot is forgotten as a whole, so a count covers the last {@code slots - 1} to {@code slots}
 * slot lengths: the newest slot is only begun. Time that goes back counts as the newest slot.
 */
final class Window {
  private final long slotNanos;
  private final int[] first;
  private final int[] second;
  private long origin;
  private long newest = -1;
  private int firstSum;
  private int secondSum;

  Window(long slotNanos, int slots) {
    this.slotNanos = Math.max(1, slotNanos);
    first = new int[slots];
    second = new int[slots];
  }

  void addFirst(long nowNanos) {
    first[slot(nowNanos)]++;
    firstSum++;
  }

  void addSecond(long nowNanos) {
    second[slot(nowNanos)]++;
    secondSum++;
  }

  int first(long nowNanos) {
    slot(nowNanos);
    return firstSum;
  }

  int second(long nowNanos) {
    slot(nowNanos);
    return secondSum;
  }

  /** The newest slot's index, after those that are past have been emptied. */
  private int slot(long nowNanos) {
    if (newest < 0) {
      origin = nowNanos;
      newest = 0;
    }
    long at = (nowNanos - origin) / slotNanos;
    if (at > newest) {
      long past = Math.min(at - newest, first.length);
      for (long k = 1; k <= past; k++) {
        int i = (int) ((newest + k) % first.length);
        firstSum -= first[i];
        secondSum -= second[i];
        first[i] = 0;
        second[i] = 0;
      }
      newest = at;
    }
    return (int) (newest % first.length);
  }
}
