package dev.mainstay.core.recovery;

/** What becomes of a stream that fails after its commit point. */
public enum MidStream {
  /** The same answer goes on from where it stopped. */
  CONTINUE,
  /** Nothing is sent before the answer is whole, so there is no such failure. */
  BUFFER,
  /** An error event. */
  ERROR
}
