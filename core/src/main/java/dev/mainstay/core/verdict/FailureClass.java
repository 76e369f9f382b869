package dev.mainstay.core.verdict;

/** What can be done about a failure at all. */
public enum FailureClass {
  /** The same request may succeed later. */
  TRANSIENT,
  /** A changed request may succeed; the same one will not, unless the model itself erred. */
  LOGIC,
  /** Only a person, or another account, model or provider can mend it. */
  FATAL
}
