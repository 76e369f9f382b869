package dev.mainstay.agent.embed;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * How a run ended.
 *
 * @param run its id
 * @param status completed, failed, cancelled or dead_letter
 * @param reason for example {@code answered}
 * @param words the reason in words
 * @param output the answer, or null
 */
public record RunResult(
    String run, String status, String reason, String words, @Nullable JsonNode output) {

  /** Whether it completed. */
  public boolean isCompleted() {
    return status.equals("completed");
  }

  /** The answer as text, or "" where there is none. */
  public String text() {
    return output == null ? "" : output.isString() ? output.stringValue() : output.toString();
  }
}
