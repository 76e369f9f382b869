package dev.mainstay.gateway.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * A place in a trace, as W3C Trace Context writes it in {@code traceparent}
 * (https://www.w3.org/TR/trace-context/).
 *
 * @param trace 32 hexadecimal digits, not all 0
 * @param span 16 hexadecimal digits, not all 0
 * @param sampled whether the one who began the trace wants it kept
 */
record TraceParent(String trace, String span, boolean sampled) {
  private static final int LENGTH = 55;

  /** Reads a header; null where there is none, or one that the standard tells to ignore. */
  static @Nullable TraceParent read(@Nullable String header) {
    if (header == null || header.length() < LENGTH) {
      return null;
    }
    boolean ours = header.startsWith("00");
    boolean shaped =
        header.charAt(2) == '-'
            && header.charAt(35) == '-'
            && header.charAt(52) == '-'
            && hex(header, 0, 2)
            && hex(header, 3, 35)
            && hex(header, 36, 52)
            && hex(header, 53, 55)
            // A later version may go on behind a dash; this one ends here.
            && (header.length() == LENGTH || (!ours && header.charAt(LENGTH) == '-'));
    if (!shaped || header.startsWith("ff")) {
      return null;
    }
    var trace = header.substring(3, 35);
    var span = header.substring(36, 52);
    if (isZero(trace) || isZero(span)) {
      return null;
    }
    boolean sampled = (Character.digit(header.charAt(54), 16) & 1) != 0;
    return new TraceParent(trace, span, sampled);
  }

  private static boolean isZero(String digits) {
    return digits.chars().allMatch(c -> c == '0');
  }

  private static boolean hex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  /** The header. */
  String header() {
    return "00-" + trace + "-" + span + (sampled ? "-01" : "-00");
  }
}
