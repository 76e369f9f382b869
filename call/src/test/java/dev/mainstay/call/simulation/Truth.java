package dev.mainstay.call.simulation;

/**
 * What a simulated provider did to an attempt: the truth that the code under test must find out.
 */
enum Truth {
  /** It answered to the end. */
  GOOD,
  /** It has not ended what it does, or nobody waited for it. */
  UNKNOWN,
  /** The key is refused for good. */
  KEY_REFUSED,
  /** The key rests as long as it was told. */
  KEY_RESTS,
  /** The target does not serve this at all. */
  TARGET_REFUSED,
  /** The request as it is can be answered by no attempt at this target. */
  REQUEST_REFUSED,
  /** The provider failed: it could not be reached, was down, or broke its answer. */
  PROVIDER_FAILED,
  /** The model's answer could not be used. */
  MODEL_ERRED
}
