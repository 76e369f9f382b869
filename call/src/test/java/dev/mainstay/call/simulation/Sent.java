package dev.mainstay.call.simulation;

import dev.mainstay.core.recovery.TargetId;

/** One request as its provider saw it, and what the provider made of it. */
final class Sent {
  final long at;
  final TargetId target;
  final String key;
  final String body;

  /** Whether content had reached the client before. */
  final boolean committedBefore;

  /** Whether the target's breaker was half open: this is its probe. */
  final boolean probe;

  /** What the provider did; as long as it has not done it, unknown. */
  Truth truth = Truth.UNKNOWN;

  /** The provider named an instant before which it wants no other request like this. */
  long notBefore = Long.MIN_VALUE;

  /** The usage that the provider has sent, in tokens of the answer; -1 where it has sent none. */
  int toldTokens = -1;

  /** Whether the model began to answer, so that it costs something. */
  boolean generated;

  /** Neither ended by the provider nor cancelled. */
  boolean open = true;

  Sent(long at, TargetId target, String key, String body, boolean committedBefore, boolean probe) {
    this.at = at;
    this.target = target;
    this.key = key;
    this.body = body;
    this.committedBefore = committedBefore;
    this.probe = probe;
  }
}
