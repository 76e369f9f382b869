package dev.mainstay.ledger.state;

/**
 * The processes that write one store. Each registers under a fencing token and sends a heartbeat.
 * When the heartbeat stops, another process takes over what the instance held: claims without an
 * answer are released, reservations count as spent, kept calls, alerts and runs wait for a new
 * holder. Every write carries the writer's token. A process that was paused, and whose work was
 * taken over, registers again under a new token and can write nothing of what it had held.
 *
 * <p>Thread-safe.
 */
public interface Instances {

  /** This process's fencing token; greater than all before it. Changes when it registers again. */
  long token();

  /**
   * This process among those alive.
   *
   * @param index from 0, in the order of their tokens
   * @param count 1 or more
   */
  record Place(int index, int count) {
    /**
     * This instance's part of a limit that all share: the parts of all instances add up to {@code
     * limit}.
     */
    public long share(long limit) {
      return limit / count + (index < limit % count ? 1 : 0);
    }
  }

  /** As of the last heartbeat. */
  Place place();
}
