package dev.mainstay.library;

import java.io.IOException;

/** A stream ended without its protocol's own ending: what was received is not the whole answer. */
public final class IncompleteStreamException extends IOException {
  IncompleteStreamException() {
    super("stream ended without its ending");
  }
}
