package dev.mainstay.wire.translate.gemini;

import java.nio.charset.StandardCharsets;

/** Gemini counts places in a text in UTF-8 bytes, the others in characters. */
final class Utf8 {
  private Utf8() {}

  /** The bytes of the first {@code chars} characters. */
  static long bytes(CharSequence text, long chars) {
    int end = (int) Math.clamp(chars, 0, text.length());
    return text.subSequence(0, end).toString().getBytes(StandardCharsets.UTF_8).length;
  }

  /** The characters that the first {@code bytes} bytes hold. */
  static long chars(CharSequence text, long bytes) {
    byte[] all = text.toString().getBytes(StandardCharsets.UTF_8);
    int end = (int) Math.clamp(bytes, 0, all.length);
    return new String(all, 0, end, StandardCharsets.UTF_8).length();
  }
}
