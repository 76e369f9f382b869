package dev.mainstay.agent.tool;

import java.time.Duration;

/** Waits between the attempts of a tool call. Tests pass one that does not wait. */
@FunctionalInterface
public interface Sleeper {
  /** Waits on the calling thread, in real time. */
  Sleeper SYSTEM = Thread::sleep;

  /** Returns after {@code time}, or throws when the calling thread is interrupted. */
  void sleep(Duration time) throws InterruptedException;
}
