package dev.mainstay.wire.translate;

import org.jspecify.annotations.Nullable;

/**
 * A {@code data:} URL with base64 in it.
 *
 * @param mimeType without parameters
 */
public record DataUrl(String mimeType, String base64) {

  /** Reads {@code url}, or null where it is another one. */
  public static @Nullable DataUrl read(String url) {
    int comma = url.indexOf(',');
    if (!url.startsWith("data:") || comma < 0 || !url.substring(0, comma).endsWith(";base64")) {
      return null;
    }
    var type = url.substring("data:".length(), url.indexOf(';'));
    return new DataUrl(type, url.substring(comma + 1));
  }

  @Override
  public String toString() {
    return "data:" + mimeType + ";base64," + base64;
  }
}
