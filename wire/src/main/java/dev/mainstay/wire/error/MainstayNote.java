package dev.mainstay.wire.error;

import dev.mainstay.wire.json.JsonStrings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code mainstay} object beside every error: what was tried, without any key, header value or
 * prompt.
 *
 * @param call the call's id
 * @param failureClass TRANSIENT, LOGIC or FATAL
 * @param kind what went wrong, for example {@code rate_limit}
 * @param blame whose doing it is
 * @param attempts what was tried, in order
 * @param nextStep what the caller can do, in one sentence
 */
public record MainstayNote(
    String call,
    String failureClass,
    String kind,
    String blame,
    List<Attempt> attempts,
    String nextStep) {

  public MainstayNote {
    attempts = List.copyOf(attempts);
  }

  /**
   * One attempt.
   *
   * @param status the provider's status, or null where none arrived
   * @param kind what went wrong
   * @param decision what was done next
   * @param waitedMs what was waited before it
   */
  public record Attempt(
      String target, @Nullable Integer status, String kind, String decision, long waitedMs) {}

  /** As JSON. */
  public void append(StringBuilder out) {
    out.append("{\"call\":");
    JsonStrings.append(out, call);
    out.append(",\"class\":");
    JsonStrings.append(out, failureClass);
    out.append(",\"kind\":");
    JsonStrings.append(out, kind);
    out.append(",\"blame\":");
    JsonStrings.append(out, blame);
    out.append(",\"attempts\":[");
    for (int i = 0; i < attempts.size(); i++) {
      var attempt = attempts.get(i);
      out.append(i == 0 ? "{\"target\":" : ",{\"target\":");
      JsonStrings.append(out, attempt.target());
      out.append(",\"status\":").append(attempt.status()).append(",\"kind\":");
      JsonStrings.append(out, attempt.kind());
      out.append(",\"decision\":");
      JsonStrings.append(out, attempt.decision());
      out.append(",\"waited_ms\":").append(attempt.waitedMs()).append('}');
    }
    out.append("],\"next_step\":");
    JsonStrings.append(out, nextStep).append('}');
  }
}
