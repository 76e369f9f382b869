package dev.mainstay.ledger;

import java.util.Locale;
import java.util.Objects;

/**
 * The bytes of one message body on their way into the ledger. The bytes are not copied: whoever
 * hands them over must not change them any more.
 *
 * @param attempt 0 for what passed between client and gateway, else the number of the attempt
 * @param part request or response
 * @param bytes as they were on the wire, without content or transfer coding
 */
@SuppressWarnings("ArrayRecordComponent") // handed over by an event loop: a copy is what it saves
public record Body(int attempt, Part part, byte[] bytes) {

  public Body {
    Objects.requireNonNull(part, "part");
    Objects.requireNonNull(bytes, "bytes");
    if (attempt < 0) {
      throw new IllegalArgumentException("attempt is negative: " + attempt);
    }
  }

  /** Which way a body went. */
  public enum Part {
    REQUEST,
    RESPONSE;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** The name in JSON, for example {@code request}. */
    public String wireName() {
      return wireName;
    }
  }
}
