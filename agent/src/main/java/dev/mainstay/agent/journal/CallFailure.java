package dev.mainstay.agent.journal;

/**
 * Why a model call failed.
 *
 * @param callId the call in the ledger
 * @param failureClass TRANSIENT, LOGIC or FATAL
 * @param kind for example {@code rate_limit}
 * @param message the provider's words, masked
 */
public record CallFailure(String callId, String failureClass, String kind, String message) {
  public boolean isTransient() {
    return failureClass.equals("TRANSIENT");
  }
}
