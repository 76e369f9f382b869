package dev.mainstay.gateway;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * People who have signed in to this process. A session ends after twelve hours, when its owner
 * signs out, when the account changes, and when the process ends. Only digests of what browsers
 * hold are kept. Thread-safe.
 */
final class Sessions {
  static final String COOKIE = "mainstay_session";
  static final Duration LIFE = Duration.ofHours(12);

  /** Beyond it the oldest go. */
  private static final int MOST = 10_000;

  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  private final Map<String, Session> byDigest =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Session> eldest) {
          return size() > MOST;
        }
      };

  Sessions(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Somebody who signed in.
   *
   * @param account its name; null for the admin token
   * @param credential what it signed in by, as the configuration had it then
   * @param csrf what a page of ours knows and another's does not
   */
  record Session(@Nullable String account, String credential, String csrf, Instant expiresAt) {
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

  synchronized Begun begin(@Nullable String account, String credential) {
    var cookie = secret();
    var session = new Session(account, credential, secret(), clock.instant().plus(LIFE));
    byDigest.put(digest(cookie), session);
    return new Begun(cookie, session);
  }

  /** The session of a cookie, or null. */
  synchronized @Nullable Session find(String cookie) {
    var key = digest(cookie);
    var session = byDigest.get(key);
    if (session != null && !clock.instant().isBefore(session.expiresAt())) {
      byDigest.remove(key);
      return null;
    }
    return session;
  }

  synchronized void end(String cookie) {
    byDigest.remove(digest(cookie));
  }

  private String secret() {
    var bytes = new byte[32];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String digest(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
