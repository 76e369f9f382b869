package dev.mainstay.config;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a password: PBKDF2 with HMAC-SHA-256, which the JDK has, at the 600,000 rounds
 * that OWASP asks for
 * (https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html). Prints as
 * stars.
 */
public final class PasswordHash {
  private static final int ROUNDS = 600_000;
  private static final int MOST_ROUNDS = 10_000_000;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BITS = 256;

  // A dollar would begin a variable in the configuration.
  private static final Pattern TEXT =
      Pattern.compile("pbkdf2-sha256:([0-9]{4,8}):([A-Za-z0-9_-]{22,88}):([A-Za-z0-9_-]{43})");

  private final int rounds;
  private final byte[] salt;
  private final byte[] hash;

  private PasswordHash(int rounds, byte[] salt, byte[] hash) {
    this.rounds = rounds;
    this.salt = salt;
    this.hash = hash;
  }

  /** What to keep of {@code password}. Takes some 200 ms of CPU. */
  public static PasswordHash of(char[] password) {
    var salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    return new PasswordHash(ROUNDS, salt, derive(password, salt, ROUNDS));
  }

  /** What {@link #text} gave; null where it is something else. */
  public static @Nullable PasswordHash parse(String text) {
    var match = TEXT.matcher(text.strip());
    if (!match.matches() || Integer.parseInt(match.group(1)) > MOST_ROUNDS) {
      return null;
    }
    var decoder = Base64.getUrlDecoder();
    return new PasswordHash(
        Integer.parseInt(match.group(1)),
        decoder.decode(match.group(2)),
        decoder.decode(match.group(3)));
  }

  /** Whether {@code password} is the one. Takes some 200 ms of CPU, whatever the answer. */
  public boolean matches(char[] password) {
    return MessageDigest.isEqual(hash, derive(password, salt, rounds));
  }

  private static byte[] derive(char[] password, byte[] salt, int rounds) {
    var spec = new PBEKeySpec(password, salt, rounds, HASH_BITS);
    try {
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has PBKDF2", e);
    } finally {
      spec.clearPassword();
    }
  }

  /** As it stands in the configuration. */
  public String text() {
    var encoder = Base64.getUrlEncoder().withoutPadding();
    return "pbkdf2-sha256:"
        + rounds
        + ":"
        + encoder.encodeToString(salt)
        + ":"
        + encoder.encodeToString(hash);
  }

  @Override
  public String toString() {
    return "***";
  }
}
