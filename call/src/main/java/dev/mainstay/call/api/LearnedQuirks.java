package dev.mainstay.call.api;

import dev.mainstay.wire.continuation.PrefillTable;
import dev.mainstay.wire.repair.ModelQuirks;
import java.util.function.LongSupplier;

/**
 * What targets have shown of themselves by what they answered: parameters they do not take, whether
 * they go on from a begun answer. Kept over calls and reloads. Thread-safe.
 */
public final class LearnedQuirks {
  private final ModelQuirks quirks;
  private final PrefillTable prefills = new PrefillTable();

  /**
   * @param nanos the clock of the calls, by which what was learned grows old
   */
  public LearnedQuirks(LongSupplier nanos) {
    quirks = new ModelQuirks(nanos);
  }

  public ModelQuirks quirks() {
    return quirks;
  }

  public PrefillTable prefills() {
    return prefills;
  }
}
