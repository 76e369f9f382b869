package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Seals;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A proof of reasoning that its own dialect alone can read; sent back to it, and to no other.
 *
 * @param value as {@link dev.mainstay.wire.translate.Delta.ReasoningSeal} has it
 */
public record Seal(Dialect of, JsonNode value) {

  /** The seal in a signature of {@code own}, which may carry that of another dialect. */
  public static @Nullable Seal read(Dialect own, @Nullable String signature) {
    if (signature == null || signature.isEmpty()) {
      return null;
    }
    var carried = Seals.read(signature);
    return carried == null ? new Seal(own, Body.of(signature)) : of(carried);
  }

  /** The seal that was carried, or null where none was. */
  public static @Nullable Seal of(Seals.Carried carried) {
    var of = carried.of();
    var value = carried.value();
    return of == null || value == null ? null : new Seal(of, value);
  }

  /** Whether it is {@code dialect}'s own. */
  public boolean isOf(Dialect dialect) {
    return of == dialect;
  }
}
