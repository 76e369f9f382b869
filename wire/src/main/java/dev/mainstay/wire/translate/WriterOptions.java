package dev.mainstay.wire.translate;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a writer puts into an answer beside what was said.
 *
 * @param model the model name that the client sees; null shows the one that answered
 * @param usageInStream whether the client asked for usage in the stream; only OpenAI Chat's clients
 *     have to ask
 * @param id the answer's id where the provider gives none
 * @param created when the answer was begun, in seconds since 1970
 * @param customTools the names of the custom tools that the client offered; calls of theirs are
 *     written as custom ones, whatever the model took them for
 */
public record WriterOptions(
    @Nullable String model,
    boolean usageInStream,
    String id,
    long created,
    Set<String> customTools) {
  public WriterOptions {
    customTools = Set.copyOf(customTools);
    if (id.isEmpty()) {
      throw new IllegalArgumentException("the id is empty");
    }
  }

  /** The same for a client that offered no custom tools. */
  public WriterOptions(@Nullable String model, boolean usageInStream, String id, long created) {
    this(model, usageInStream, id, created, Set.of());
  }
}
