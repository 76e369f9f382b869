package dev.mainstay.call.upstream;

import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Verdict;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A provider's redirect. Mainstay does not follow it, since it would take the provider's key to
 * another address, and does not pass it on, since the client would take its own key there.
 */
public final class ProviderRedirect {
  private static final int RESUME_INCOMPLETE = 308;

  private ProviderRedirect() {}

  /**
   * Whether an answer sends its reader elsewhere: a redirect, but for Google's 308 without a
   * location, which says how much of an upload has come.
   *
   * @param location the header's value, or null
   */
  public static boolean is(int status, @Nullable String location) {
    return KnownVerdicts.isRedirect(status) && (status != RESUME_INCOMPLETE || location != null);
  }

  /** What is known of it; where it leads to is left out. */
  public static Failure failure(String rules, int status) {
    return new Failure.Reply(rules, status, new Headers(Map.of()), "");
  }

  /** What an address in an answer means at which the client would go on with its key. */
  public static Verdict elsewhere(String header) {
    return KnownVerdicts.leadsElsewhere(header);
  }
}
