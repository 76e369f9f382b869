package dev.mainstay.wire.translate;

/** What is done with a part of a request that the target's dialect has no word for. */
public enum OnLoss {
  /** It is left out, and said. The default. */
  DROP,
  /** The request is refused. */
  REFUSE
}
