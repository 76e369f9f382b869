package dev.mainstay.call;

import dev.mainstay.wire.repair.ModelQuirks;
import dev.mainstay.wire.seam.PrefillTable;

/**
 * What targets have shown of themselves by what they answered: parameters they do not take, whether
 * they go on from a begun answer. Kept over calls and reloads. Thread-safe.
 */
public final class LearnedQuirks {
  private final ModelQuirks quirks = new ModelQuirks(System::nanoTime);
  private final PrefillTable prefills = new PrefillTable();

  ModelQuirks quirks() {
    return quirks;
  }

  PrefillTable prefills() {
    return prefills;
  }
}
