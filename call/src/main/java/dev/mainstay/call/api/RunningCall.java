package dev.mainstay.call.api;

/** A call under way, for whoever has to end it. */
public interface RunningCall {
  /** Ends it with an error for {@code why}, if it has not ended yet. May be called anywhere. */
  void stop(String why);
}
