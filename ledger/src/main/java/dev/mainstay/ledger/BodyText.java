package dev.mainstay.ledger;

/**
 * Takes the text that people search for out of recorded bodies. The ledger's writing thread calls
 * it with what redaction has left; must not throw.
 */
@FunctionalInterface
public interface BodyText {
  /** Keeps no text: calls are found by their ids alone. */
  BodyText NONE = (body, part) -> "";

  /** The text in a body, or an empty one. The ledger keeps a bounded number of its words. */
  String of(byte[] body, Body.Part part);
}
