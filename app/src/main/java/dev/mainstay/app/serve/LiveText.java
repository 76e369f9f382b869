package dev.mainstay.app.serve;

import dev.mainstay.call.recording.SearchableText;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.BodyText;
import java.util.function.LongSupplier;

/**
 * The text that people search for, as long as the newest configuration keeps it and time allows:
 * indexing 5 KB costs 0.3 ms, many times what the gateway spends on the call itself. A gateway with
 * more traffic than that records all calls and indexes some. Belongs to the ledger's writing
 * thread, but for {@link #kept}.
 */
final class LiveText implements BodyText {
  /** Bytes of bodies that are indexed in a second: about 6 % of a core. */
  static final long BYTES_A_SECOND = 1 << 20;

  /** Bytes of bodies that are indexed at once after a quiet time. */
  static final long BURST = 16 * BYTES_A_SECOND;

  private static final double NANOS = 1e9;

  volatile boolean kept;

  private final LongSupplier nanos;
  private long since;
  private double allowed = BURST;

  /**
   * @param nanos a clock as {@link System#nanoTime} is one
   */
  LiveText(boolean first, LongSupplier nanos) {
    kept = first;
    this.nanos = nanos;
    since = nanos.getAsLong();
  }

  @Override
  public String of(byte[] body, Body.Part part) {
    if (!kept) {
      return "";
    }
    long now = nanos.getAsLong();
    allowed = Math.min(BURST, allowed + (now - since) / NANOS * BYTES_A_SECOND);
    since = now;
    if (allowed <= 0) {
      return "";
    }
    allowed -= body.length;
    return SearchableText.INSTANCE.of(body, part);
  }
}
