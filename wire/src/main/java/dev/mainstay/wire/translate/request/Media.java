package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.translate.request.Part.Kind;
import dev.mainstay.wire.translate.request.Part.Source;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the dialects share about images, documents and sounds. */
public final class Media {
  private static final String DATA = "data:";
  private static final String BASE64 = ";base64,";

  /** The name of a document that was given none, where the dialect wants one. */
  public static final String UNNAMED = "document.pdf";

  private Media() {}

  /** A medium at {@code url}, which may be a data URL that holds it. */
  public static Part.Media of(
      Kind kind,
      String url,
      @Nullable String name,
      @Nullable String detail,
      @Nullable CacheMark cache) {
    int comma = url.startsWith(DATA) ? url.indexOf(BASE64) : -1;
    if (comma < 0) {
      return new Part.Media(kind, new Source.Url(url), mimeType(url), name, detail, cache);
    }
    var type = url.substring(DATA.length(), comma);
    int parameters = type.indexOf(';');
    var mimeType = parameters < 0 ? type : type.substring(0, parameters);
    return new Part.Media(
        kind,
        new Source.Base64(url.substring(comma + BASE64.length())),
        mimeType.isEmpty() ? null : mimeType,
        name,
        detail,
        cache);
  }

  /** The URL of a medium; a data URL where it is in the request itself. */
  public static String url(Part.Media media, String mimeType) {
    return switch (media.source()) {
      case Source.Url url -> url.url();
      case Source.Base64 base64 -> DATA + mimeType + BASE64 + base64.data();
      case Source.Plain plain -> plain.text();
    };
  }

  /** What kind a MIME type is of. */
  public static Kind kind(String mimeType) {
    if (mimeType.startsWith("image/")) {
      return Kind.IMAGE;
    }
    if (mimeType.startsWith("audio/")) {
      return Kind.AUDIO;
    }
    return mimeType.startsWith("video/") ? Kind.VIDEO : Kind.DOCUMENT;
  }

  /** The MIME type that a file's name or address tells, or null. */
  public static @Nullable String mimeType(String name) {
    var end = name.toLowerCase(Locale.ROOT);
    int query = end.indexOf('?');
    if (query >= 0) {
      end = end.substring(0, query);
    }
    return switch (end.substring(end.lastIndexOf('.') + 1)) {
      case "png" -> "image/png";
      case "jpg", "jpeg" -> "image/jpeg";
      case "gif" -> "image/gif";
      case "webp" -> "image/webp";
      case "pdf" -> "application/pdf";
      case "txt" -> "text/plain";
      case "md" -> "text/markdown";
      case "csv" -> "text/csv";
      case "json" -> "application/json";
      case "wav" -> "audio/wav";
      case "mp3" -> "audio/mpeg";
      case "mp4" -> "video/mp4";
      default -> null;
    };
  }
}
