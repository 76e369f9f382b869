package dev.mainstay.call.api;

import dev.mainstay.core.recovery.TargetId;
import java.time.Duration;

/**
 * The other gateways on this one's store: what they should know at once, and this one's part of
 * what all of them share. Thread-safe; nothing here blocks.
 */
public interface Peers {
  /** There is no other gateway. */
  Peers NONE =
      new Peers() {
        @Override
        public void breakerOpened(TargetId target, Duration open, String reason) {}

        @Override
        public void breakerReset(TargetId target) {}

        @Override
        public void keyRests(String provider, String key, String model, Duration rest) {}

        @Override
        public void keySetAside(String provider, String key, String model) {}

        @Override
        public void keyWorks(String provider, String key, String model) {}

        @Override
        public int share(int limit) {
          return limit;
        }
      };

  /** The breaker of {@code target} opened here, for as long as {@code open}. */
  void breakerOpened(TargetId target, Duration open, String reason);

  /** A person closed the breaker of {@code target} here. */
  void breakerReset(TargetId target);

  /**
   * A key was rate limited here.
   *
   * @param key stands for the key; not the key itself
   * @param rest how long it rests for {@code model}
   */
  void keyRests(String provider, String key, String model, Duration rest);

  /**
   * A key was refused here, or has no money left, and is set aside.
   *
   * @param key as in {@link #keyRests}
   * @param model for which alone; empty: for all
   */
  void keySetAside(String provider, String key, String model);

  /** A key that was set aside here works again for {@code model}. */
  void keyWorks(String provider, String key, String model);

  /**
   * This gateway's part of a limit that all gateways share, at least 1: a limit below the number of
   * gateways is exceeded by those that would have none of it.
   */
  int share(int limit);
}
