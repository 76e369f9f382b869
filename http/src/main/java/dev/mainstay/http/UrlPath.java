package dev.mainstay.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/**
 * Whether a path stays below the base URL that it is sent under, whoever reads it on the way: a
 * server or a proxy may decode it, once or twice, take backslashes for slashes, or cut off what
 * follows a semicolon. So a path must be harmless in every one of these readings.
 */
public final class UrlPath {
  /** Rounds of percent-decoding that are undone; a path that still changes then is refused. */
  private static final int MOST_ROUNDS = 5;

  private static final String VISIBLE = "!$&'()*+,-./:;=@_~%";

  private UrlPath() {}

  /**
   * Why {@code path} must not be sent, in words that follow "the path has"; null where it may be.
   *
   * @param path with or without a query, which may hold any character that is visible ASCII
   */
  public static @Nullable String flaw(String path) {
    int query = path.indexOf('?');
    String plain = query < 0 ? path : path.substring(0, query);
    if (!plain.startsWith("/")) return "no slash at its beginning";
    for (int i = 0; i < plain.length(); i++) {
      if (!allowed(plain.charAt(i))) return "a character that no path has";
    }
    for (int i = plain.length(); i < path.length(); i++) {
      char c = path.charAt(i);
      if (c <= ' ' || c >= 127 || c == '#') return "a character that no query has";
    }
    // Most paths have no escapes, and one look is enough.
    for (int round = 0; round <= MOST_ROUNDS; round++) {
      @Nullable String flaw = flawAsRead(plain);
      if (flaw != null || plain.indexOf('%') < 0) return flaw;
      @Nullable String decoded = decoded(plain, round == 0);
      if (decoded == null) return "an escape that is none";
      if (decoded.equals(plain)) return null;
      plain = decoded;
    }
    return "escapes within escapes";
  }

  private static boolean allowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || VISIBLE.indexOf(c) >= 0;
  }

  private static @Nullable String flawAsRead(String path) {
    if (path.startsWith("//")) return "two slashes at its beginning";
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '\\') return "a backslash";
      if (Character.isISOControl(c)) return "a control character";
    }
    for (String segment : path.split("/", -1)) {
      int parameters = segment.indexOf(';');
      String name = (parameters < 0 ? segment : segment.substring(0, parameters)).strip();
      if (name.equals(".") || name.equals("..")) return ". or .. between slashes";
    }
    return null;
  }

  /**
   * Undoes one round of percent-encoding; null where that is broken. Compatible forms (a full-width
   * dot) become the characters that they may be taken for.
   *
   * @param strict whether a percent sign must begin an escape; one that came out of an escape
   *     itself need not
   */
  private static @Nullable String decoded(String path, boolean strict) {
    byte[] from = path.getBytes(StandardCharsets.UTF_8);
    ByteBuffer to = ByteBuffer.allocate(from.length);
    for (int i = 0; i < from.length; i++) {
      int high = from[i] == '%' && i + 2 < from.length ? Character.digit(from[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(from[i + 2], 16);
      if (low >= 0) {
        to.put((byte) (high << 4 | low));
        i += 2;
      } else if (from[i] == '%' && strict) {
        return null;
      } else {
        to.put(from[i]);
      }
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(to.flip()).toString();
      return Normalizer.normalize(text, Normalizer.Form.NFKC);
    } catch (CharacterCodingException e) {
      // Overlong forms of dots and slashes are among these.
      return null;
    }
  }
}
