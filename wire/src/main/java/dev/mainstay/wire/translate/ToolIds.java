package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Ids of tool calls, in the form that each dialect accepts. Stateless: an id that a provider gave
 * is fitted to the client's dialect on the way out and to the target's on the way in, a call and
 * its result alike, so that they stay a pair with whatever target the conversation goes on.
 *
 * <p>What an id may be: Anthropic {@code ^[a-zA-Z0-9_-]+$}; OpenAI Chat at most 40 characters,
 * Responses at most 64; Mistral exactly 9 letters and digits; Gemini anything. An id that fits
 * stays as it is. One with characters that Anthropic refuses is written in base64url and restored
 * where it comes back; one that is too long is replaced by a hash, which cannot be undone, but is
 * the same for the call and its result.
 */
public final class ToolIds {
  private static final String CODED = "mst-";
  private static final String HASHED = "msh-";
  private static final String INVENTED = "msi-";

  private static final int CHAT_LENGTH = 40;
  private static final int LONGEST = 64;
  private static final int MISTRAL_LENGTH = 9;

  /** Letters and digits of a hash; 32 of them carry 190 bits. */
  private static final int HASH_LENGTH = 32;

  private static final String ALPHANUMERIC =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  private ToolIds() {}

  /**
   * {@code id} as {@code dialect} accepts it. {@code fit(a, fit(b, id))} is {@code id} where {@code
   * a} accepts it and it needed no hash in {@code b}.
   */
  public static String fit(Dialect dialect, String id) {
    var original = decoded(id);
    if (accepts(dialect, original)) {
      return original;
    }
    if (dialect == Dialect.MISTRAL) {
      return hash(original, MISTRAL_LENGTH);
    }
    var coded =
        CODED
            + Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(original.getBytes(StandardCharsets.UTF_8));
    return !original.isEmpty() && accepts(dialect, coded)
        ? coded
        : HASHED + hash(original, HASH_LENGTH);
  }

  /**
   * An id for a call that its provider gave none, the same whenever it is asked for.
   *
   * @param answer the id of the answer that holds the call
   */
  public static String invent(Dialect dialect, String answer, int choice, int call) {
    var seed = answer + '\n' + choice + '\n' + call;
    return fit(dialect, INVENTED + hash(seed, HASH_LENGTH));
  }

  /**
   * Whether {@code id} was made by {@link #invent}, so that a dialect without ids need not be told
   * it; one that was made for Mistral cannot be told from a provider's.
   */
  public static boolean invented(@Nullable String id) {
    return id != null && id.startsWith(INVENTED);
  }

  /** Whether {@code dialect} accepts {@code id} as it is. */
  public static boolean accepts(Dialect dialect, String id) {
    return switch (dialect) {
      case GEMINI -> !id.isEmpty();
      case OPENAI_CHAT -> !id.isEmpty() && id.length() <= CHAT_LENGTH;
      case OPENAI_RESPONSES -> !id.isEmpty() && id.length() <= LONGEST;
      case ANTHROPIC -> !id.isEmpty() && id.length() <= LONGEST && only(id, "_-");
      case MISTRAL -> id.length() == MISTRAL_LENGTH && only(id, "");
    };
  }

  private static boolean only(String id, String besides) {
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (ALPHANUMERIC.indexOf(c) < 0 && besides.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  private static String decoded(String id) {
    if (!id.startsWith(CODED)) {
      return id;
    }
    try {
      var bytes = Base64.getUrlDecoder().decode(id.substring(CODED.length()));
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return id;
    }
  }

  private static String hash(String text, int length) {
    try {
      var digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      var out = new StringBuilder(length);
      for (int i = 0; i < length; i++) {
        out.append(ALPHANUMERIC.charAt((digest[i] & 0xff) % ALPHANUMERIC.length()));
      }
      return out.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
