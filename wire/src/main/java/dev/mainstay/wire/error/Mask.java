package dev.mainstay.wire.error;

/**
 * Masks what looks like a key. One pass over the text, without a regular expression: providers put
 * parts of keys, whole keys and whole URLs with keys into their messages.
 */
public final class Mask {
  private static final String MASKED = "[key]";

  /** How the keys of providers and relays begin; what follows is the secret. */
  private static final String[] PREFIXES = {
    "sk-",
    "sk_",
    "rk-",
    "pk-",
    "AIza",
    "AQ.",
    "gsk_",
    "xai-",
    "hf_",
    "r8_",
    "nvapi-",
    "fw_",
    "csk-",
    "ya29.",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "eyJ",
    "AKIA",
    "ASIA",
    "pplx-",
    "tgp_v1_",
    "dapi",
    "sess-",
    "ak-",
    "Bearer-",
    "key-"
  };

  /** The shortest rest after a prefix that is taken for a secret. */
  private static final int LEAST_REST = 6;

  /** Without a prefix: this long, with letters of both cases and digits, and no separators. */
  private static final int LEAST_BARE = 30;

  private Mask() {}

  /** {@code text} with {@code [key]} in the place of each thing that looks like one. */
  public static String keys(String text) {
    StringBuilder out = null;
    int from = 0;
    int i = 0;
    while (i < text.length()) {
      if (!isKeyChar(text.charAt(i))) {
        i++;
        continue;
      }
      int end = i + 1;
      while (end < text.length() && isKeyChar(text.charAt(end))) {
        end++;
      }
      int last = end;
      while (last > i && text.charAt(last - 1) == '.') {
        last--;
      }
      if (looksLikeKey(text, i, last)) {
        out = out == null ? new StringBuilder(text.length()) : out;
        out.append(text, from, i).append(MASKED);
        from = last;
      }
      i = end;
    }
    return out == null ? text : out.append(text, from, text.length()).toString();
  }

  private static boolean looksLikeKey(String text, int start, int end) {
    for (var prefix : PREFIXES) {
      if (end - start >= prefix.length() + LEAST_REST
          && text.startsWith(prefix, start)
          && telling(text, start + prefix.length(), end, prefix)) {
        return true;
      }
    }
    return bare(text, start, end);
  }

  /**
   * Words may begin like a key ("sk-learn-pipeline"): a secret has a digit, a star or a capital.
   */
  private static boolean telling(String text, int start, int end, String prefix) {
    if (prefix.equals("eyJ") && end - start < LEAST_BARE) {
      return false;
    }
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c == '*' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')) {
        return true;
      }
    }
    return end - start >= LEAST_BARE;
  }

  private static boolean bare(String text, int start, int end) {
    if (end - start < LEAST_BARE) {
      return false;
    }
    boolean lower = false;
    boolean upper = false;
    boolean digit = false;
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      lower |= c >= 'a' && c <= 'z';
      upper |= c >= 'A' && c <= 'Z';
      digit |= c >= '0' && c <= '9';
      // Ids of requests and organisations have a word and a separator before the random part.
      if (c == '-' || c == '_' || c == '.') {
        return false;
      }
    }
    return lower && upper && digit;
  }

  private static boolean isKeyChar(char c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || c == '-'
        || c == '_'
        || c == '*'
        || c == '.';
  }
}
