package dev.mainstay.wire.stream;

import dev.mainstay.wire.money.Usage;
import org.jspecify.annotations.Nullable;

/**
 * What a whole answer says.
 *
 * @param outcome whether it is one
 * @param usage the tokens used, or null where the provider did not say
 * @param finish why it ended, in the provider's own words, or null
 * @param responseId its id, or null
 * @param model the model that says it answered, or null
 */
public record Answer(
    Outcome outcome,
    @Nullable Usage usage,
    @Nullable String finish,
    @Nullable String responseId,
    @Nullable String model) {

  /** Whether an answer is one. */
  public enum Outcome {
    ANSWERED,
    /** An error in the place of an answer. */
    ERROR,
    /** An answer with nothing in it, though the model was not stopped. */
    EMPTY,
    /** No JSON, or JSON that ends too early. */
    MALFORMED
  }

  public static Answer malformed() {
    return new Answer(Outcome.MALFORMED, null, null, null, null);
  }
}
