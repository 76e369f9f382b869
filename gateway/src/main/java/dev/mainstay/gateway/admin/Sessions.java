package dev.mainstay.gateway.admin;

import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.SignIns;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * People who have signed in, at whichever gateway on the store. A session ends after twelve hours,
 * when its owner signs out, and when the account changes. This gateway asks the store before it
 * lets a session in; while the store is away it knows those that it has seen, and a session that
 * begins meanwhile holds on this gateway alone. Only digests of what browsers hold are kept.
 * Thread-safe.
 */
public final class Sessions {
  static final String COOKIE = "mainstay_session";
  static final Duration LIFE = Duration.ofHours(12);

  /** That this process remembers; beyond it the oldest go. */
  private static final int MOST = 10_000;

  private final InstantSource clock;
  private final @Nullable DurableState state;
  private final SecureRandom random = new SecureRandom();

  private final Map<String, Known> byDigest =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
          return size() > MOST;
        }
      };

  /**
   * @param here whether the store does not have it
   */
  private record Known(Session session, boolean here) {}

  /**
   * @param state where sessions are kept, or null: they last as long as this process
   */
  public Sessions(@Nullable DurableState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /**
   * Somebody who signed in.
   *
   * @param account its name; null for the admin token
   * @param proof digest of the cookie and of what it signed in by, as the configuration had it then
   * @param csrf what a page of ours knows and another's does not
   */
  record Session(@Nullable String account, String proof, String csrf, Instant expiresAt) {
    /** Whether this is still what {@code cookie} signed in by. */
    boolean isBy(String cookie, String credential) {
      return MessageDigest.isEqual(
          proof.getBytes(StandardCharsets.UTF_8),
          digest("proof", cookie, credential).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
      return "Session[" + account + "]";
    }
  }

  /** A session and what its owner's browser shows from now on. */
  record Begun(String cookie, Session session) {
    @Override
    public String toString() {
      return "Begun[***]";
    }
  }

  /** Begins a session, and completes once the store has it or has failed to take it. */
  CompletionStage<Begun> begin(@Nullable String account, String credential) {
    var bytes = new byte[32];
    random.nextBytes(bytes);
    var cookie = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    var session =
        new Session(
            account, digest("proof", cookie, credential), csrf(cookie), clock.instant().plus(LIFE));
    var begun = new Begun(cookie, session);
    var key = digest("session", cookie, "");
    if (state == null) {
      remember(key, new Known(session, true));
      return CompletableFuture.completedFuture(begun);
    }
    return state
        .signIns()
        .begin(
            new SignIns.Session(
                key, account == null ? "" : account, session.proof(), session.expiresAt()))
        .handle(
            (kept, failed) -> {
              remember(key, new Known(session, failed != null));
              return begun;
            });
  }

  /**
   * Learns from the store how the session of a cookie stands, for {@link #find}. Never fails: where
   * the store does not answer, what this process knows stands.
   *
   * @return false where neither knows of it, because the store did not answer
   */
  CompletionStage<Boolean> refresh(String cookie) {
    var key = digest("session", cookie, "");
    var known = known(key);
    if (state == null || (known != null && (known.here() || state.trouble() != null))) {
      return CompletableFuture.completedFuture(true);
    }
    return state
        .signIns()
        .find(key)
        .handle(
            (found, failed) -> {
              if (failed == null && found.isEmpty()) {
                forget(key);
              } else if (failed == null) {
                var kept = found.getFirst();
                remember(
                    key,
                    new Known(
                        new Session(
                            kept.account().isEmpty() ? null : kept.account(),
                            kept.proof(),
                            csrf(cookie),
                            kept.expiresAt()),
                        false));
              }
              return failed == null || known != null;
            });
  }

  /** The session of a cookie as it was last known, or null. */
  @Nullable Session find(String cookie) {
    var key = digest("session", cookie, "");
    var known = known(key);
    if (known != null && !clock.instant().isBefore(known.session().expiresAt())) {
      forget(key);
      return null;
    }
    return known == null ? null : known.session();
  }

  /** Ends a session here at once; completes once it has ended for every gateway. */
  CompletionStage<?> end(String cookie) {
    var key = digest("session", cookie, "");
    forget(key);
    return state == null ? CompletableFuture.completedFuture(null) : state.signIns().end(key);
  }

  private synchronized void remember(String key, Known session) {
    byDigest.put(key, session);
  }

  private synchronized void forget(String key) {
    byDigest.remove(key);
  }

  private synchronized @Nullable Known known(String key) {
    return byDigest.get(key);
  }

  /** Follows from the cookie, which no page can read, so that every gateway knows it. */
  private static String csrf(String cookie) {
    return digest("csrf", cookie, "");
  }

  /** A digest that serves one use and no other. */
  static String digest(String use, String secret, String more) {
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      for (var part : new String[] {use, secret, more}) {
        var bytes = part.getBytes(StandardCharsets.UTF_8);
        sha.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
        sha.update(bytes);
      }
      return Base64.getUrlEncoder().withoutPadding().encodeToString(sha.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
