package dev.mainstay.wire.translate.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one side said. Results of tools belong to the user.
 *
 * @param name of a participant, or null
 * @param prefix whether the answer is to begin with this very turn; only asked for in words by
 *     Mistral
 */
public record Turn(Role role, List<Part> parts, @Nullable String name, boolean prefix) {
  public Turn {
    parts = List.copyOf(parts);
  }

  public Turn(Role role, List<Part> parts) {
    this(role, parts, null, false);
  }

  public enum Role {
    SYSTEM,
    USER,
    ASSISTANT
  }
}
