package dev.mainstay.call.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds a provider's keys in what that provider answers, and puts asterisks in their place: one for
 * each byte, so that lengths, framing and JSON stay whole. Keys are found as they are, escaped for
 * JSON, HTML or a URL, and in Base64 (with whatever stands before them, as in {@code Basic}).
 *
 * <p>All forms of all keys are searched for at once by the algorithm of Wu and Manber ("A fast
 * algorithm for multi-pattern searching", 1994): it looks at about one byte in as many as the
 * shortest form has. Immutable.
 */
final class SecretMask {
  /** The shortest key that is looked for: shorter ones are found in ordinary words. */
  private static final int LEAST = 8;

  /**
   * What the documentation of local servers says to set where no key is needed: nobody's secret,
   * and words that answers hold.
   */
  private static final Set<String> PLACEHOLDERS =
      Set.of(
          "lm-studio",
          "not-needed",
          "no-key-required",
          "sk-no-key-required",
          "no-key-needed",
          "token-abc123",
          "placeholder",
          "anything");

  /** Parts of the names of headers whose values are keys. */
  private static final List<String> SECRET_NAMES =
      List.of("auth", "key", "token", "secret", "cookie", "password", "credential");

  /**
   * What encoders for URLs leave as it is, beside letters and digits: RFC 3986's unreserved
   * characters, those and slashes (Python), JavaScript's encodeURIComponent, Java's, and nothing.
   */
  private static final List<String> LEFT_IN_URLS =
      List.of("-._~", "-._~/", "-._~!*'()", "-._*", "");

  /** A form that is cut off by the end of an answer is masked from this share of it on. */
  private static final int TELLING_SHARE = 2;

  private static final int BLOCKS = 1 << 12;
  private static final byte STAR = '*';

  private final byte[][] forms;
  private final int shortest;
  private final int longest;

  /** How far the window may move where its last two bytes are these, by their hash. */
  private final short[] shifts = new short[BLOCKS];

  /** Of each form, the first byte and, by their hash, the first two. */
  private final boolean[] begins = new boolean[256];

  private final boolean[] beginsWith = new boolean[BLOCKS];

  private SecretMask(Set<String> secrets) {
    var all = new ArrayList<byte[]>();
    secrets.forEach(secret -> all.addAll(forms(secret)));
    // The longest first: a key may be the beginning of another.
    all.sort((one, other) -> other.length - one.length);
    forms = all.toArray(byte[][]::new);
    longest = forms.length == 0 ? 0 : forms[0].length;
    shortest = forms.length == 0 ? 0 : forms[forms.length - 1].length;
    Arrays.fill(shifts, (short) Math.min(Short.MAX_VALUE, Math.max(0, shortest - 1)));
    for (var form : forms) {
      begins[form[0] & 0xff] = true;
      beginsWith[block(form[0], form[1])] = true;
      for (int i = 1; i < shortest; i++) {
        int block = block(form[i - 1], form[i]);
        shifts[block] = (short) Math.min(shifts[block], shortest - 1 - i);
      }
    }
  }

  /** For a provider with these keys and configured headers. */
  static SecretMask of(Collection<String> keys, Map<String, String> headers) {
    var secrets = new LinkedHashSet<>(keys);
    headers.forEach(
        (name, value) -> {
          var lower = name.toLowerCase(Locale.ROOT);
          if (SECRET_NAMES.stream().anyMatch(lower::contains)) {
            // Without the scheme: "Bearer …".
            secrets.add(value.substring(value.lastIndexOf(' ') + 1));
          }
        });
    secrets.removeIf(secret -> secret.length() < LEAST || PLACEHOLDERS.contains(secret));
    return new SecretMask(secrets);
  }

  private static Set<String> texts(String secret) {
    var texts = new LinkedHashSet<String>();
    texts.add(secret);
    var json = secret.replace("\\", "\\\\").replace("\"", "\\\"");
    texts.add(json);
    texts.add(json.replace("/", "\\/"));
    texts.add(escaped(json, "<>&=+'/", "\\u%04x"));
    texts.add(escaped(json, "<>&=+'/", "\\u%04X"));
    texts.add(escaped(json, "<>&'", "\\u%04x"));
    texts.add(escaped(json, "<>&", "\\u%04x"));
    texts.add(
        secret
            .replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace(">", "&gt;")
            .replace("\"", "&quot;")
            .replace("'", "&#39;"));
    for (var left : LEFT_IN_URLS) {
      texts.add(percent(secret, left, HexFormat.of().withUpperCase()));
      texts.add(percent(secret, left, HexFormat.of()));
    }
    return texts;
  }

  private static Collection<byte[]> forms(String secret) {
    var texts = texts(secret);
    var plain = secret.getBytes(UTF_8);
    for (int before = 0; before < 3; before++) {
      var padded = new byte[before + plain.length];
      System.arraycopy(plain, 0, padded, before, plain.length);
      // Of the characters at both ends some bits are a neighbour's: they are left out.
      int from = Math.ceilDiv(before * 8, 6);
      int to = padded.length * 8 / 6;
      texts.add(Base64.getEncoder().encodeToString(padded).substring(from, to));
      texts.add(Base64.getUrlEncoder().encodeToString(padded).substring(from, to));
    }
    return texts.stream().map(text -> text.getBytes(UTF_8)).toList();
  }

  private static String escaped(String text, String which, String format) {
    var out = new StringBuilder();
    for (char c : text.toCharArray()) {
      if (which.indexOf(c) >= 0) {
        out.append(String.format(Locale.ROOT, format, (int) c));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /**
   * @param left what is not escaped beside letters and digits
   */
  private static String percent(String secret, String left, HexFormat hex) {
    var out = new StringBuilder();
    for (byte b : secret.getBytes(UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || left.indexOf(c) >= 0;
      out.append(plain ? String.valueOf(c) : "%" + hex.toHexDigits(b));
    }
    return out.toString();
  }

  /** The hash of two bytes, which are the lowest of {@code one} and {@code other}. */
  private static int block(int one, int other) {
    return ((one & 0xff) * 31 ^ (other & 0xff)) & (BLOCKS - 1);
  }

  /** {@code text}, a header's value or name, with asterisks where there was a key. */
  String text(String text) {
    if (forms.length == 0 || !mayHold(text)) {
      return text;
    }
    var bytes = text.getBytes(ISO_8859_1);
    return mask(Unpooled.wrappedBuffer(bytes), ByteBuffer.wrap(bytes))
        ? new String(bytes, ISO_8859_1)
        : text;
  }

  /** Whether {@link #mask} has to look closer: hardly ever, and found out without a copy. */
  private boolean mayHold(String text) {
    for (int at = shortest - 1; at < text.length(); ) {
      int shift = shifts[block(text.charAt(at - 1), text.charAt(at))];
      if (shift == 0) {
        return true;
      }
      at += shift;
    }
    return false;
  }

  /**
   * Masks all whole forms in {@code bytes}; whether there was one.
   *
   * @param seen the same bytes, read past the checks of a ByteBuf, which are dearer than the search
   */
  private boolean mask(ByteBuf bytes, ByteBuffer seen) {
    boolean found = false;
    int end = bytes.writerIndex();
    int from = bytes.readerIndex();
    for (int at = next(seen, shortest - 1) + from; at < end; at = next(seen, at - from) + from) {
      int start = at - shortest + 1;
      int length = found(bytes, start, end);
      if (length > 0) {
        for (int i = start; i < start + length; i++) {
          bytes.setByte(i, STAR);
        }
        found = true;
        at = start + length + shortest - 1;
      } else {
        at++;
      }
    }
    return found;
  }

  /** Where, from {@code at} on, the first window ends in which a form may begin; or its end. */
  private int next(ByteBuffer bytes, int at) {
    int end = bytes.limit();
    while (at < end) {
      int shift = shifts[block(bytes.get(at - 1), bytes.get(at))];
      if (shift == 0) {
        return at;
      }
      at += shift;
    }
    return end;
  }

  /** The length of the longest form that begins at {@code start}, or 0. */
  private int found(ByteBuf bytes, int start, int end) {
    for (var form : forms) {
      if (form.length <= end - start && matches(bytes, start, form, form.length)) {
        return form.length;
      }
    }
    return 0;
  }

  private static boolean matches(ByteBuf bytes, int start, byte[] form, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(start + i) != form[i]) {
        return false;
      }
    }
    return true;
  }

  /** How many of the last bytes may be the beginning of a form whose rest is still to come. */
  private int begun(ByteBuf bytes, ByteBuffer seen) {
    int end = seen.limit();
    for (int at = Math.max(0, end - longest + 1); at < end - 1; at++) {
      if (beginsWith[block(seen.get(at), seen.get(at + 1))]
          && isBeginning(bytes, bytes.readerIndex() + at, end - at)) {
        return end - at;
      }
    }
    return end > 0 && begins[seen.get(end - 1) & 0xff] ? 1 : 0;
  }

  private boolean isBeginning(ByteBuf bytes, int at, int length) {
    for (var form : forms) {
      if (form.length > length && matches(bytes, at, form, length)) {
        return true;
      }
    }
    return false;
  }

  /** One body, masked as it arrives. Belongs to one thread. */
  Body body() {
    return new Body();
  }

  /** A body part by part: what may be the beginning of a key waits for what follows. */
  final class Body {
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    /** Takes a part, which it owns, and hands over what can go on; possibly empty. */
    ByteBuf add(ByteBuf part) {
      if (forms.length == 0) {
        return part;
      }
      var bytes = part;
      if (held.isReadable()) {
        bytes = Unpooled.buffer(held.readableBytes() + part.readableBytes());
        bytes.writeBytes(held).writeBytes(part);
        part.release();
        held = Unpooled.EMPTY_BUFFER;
      } else if (part.isReadOnly()) {
        bytes = Unpooled.copiedBuffer(part);
        part.release();
      }
      var seen = bytes.nioBuffer();
      mask(bytes, seen);
      int wait = begun(bytes, seen);
      if (wait > 0) {
        int from = bytes.writerIndex() - wait;
        held = Unpooled.buffer(wait).writeBytes(bytes, from, wait);
        bytes.writerIndex(from);
      }
      return bytes;
    }

    /** What still waits: nothing follows. Most of a key is masked as a whole one is. */
    ByteBuf end() {
      var rest = held;
      held = Unpooled.EMPTY_BUFFER;
      if (rest.readableBytes() * TELLING_SHARE >= shortest) {
        for (int i = rest.readerIndex(); i < rest.writerIndex(); i++) {
          rest.setByte(i, STAR);
        }
      }
      return rest;
    }
  }
}
