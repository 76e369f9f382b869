package dev.mainstay.wire.request;

import dev.mainstay.wire.json.Json;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * What a request carries or names besides text, in any dialect. Where it is not clear whether
 * something is an image it counts as a file, which is the more.
 *
 * @param images pictures, inside the request or named by an address or an id
 * @param files documents, recordings and whatever else is not a picture
 * @param inlineBytes bytes of the body that are pictures or files in base64, and not text
 */
public record Attachments(int images, int files, long inlineBytes) {
  private static final Set<String> IMAGES =
      Set.of("image", "image_url", "input_image", "computer_screenshot");
  private static final Set<String> FILES =
      Set.of("document", "input_file", "document_url", "input_audio", "container_upload");

  /** Types of what stands inside an image or a document and only says where it comes from. */
  private static final Set<String> SOURCES = Set.of("url", "base64", "file");

  /** Fields whose value names something elsewhere or is it, in base64. */
  private static final Set<String> NAMED =
      Set.of(
          "url",
          "image_url",
          "file_url",
          "document_url",
          "fileUri",
          "file_uri",
          "file_id",
          "file_data",
          "data",
          "input_audio");

  /** Fields with words of the caller's own, where an address is no attachment. */
  static final Set<String> OTHERS_WORDS =
      Set.of(
          "args",
          "response",
          "arguments",
          "metadata",
          "parameters",
          "input_schema",
          "schema",
          "json_schema",
          "parametersJsonSchema",
          "responseSchema",
          "responseJsonSchema");

  /** What was found, and what only an object further out can say of what kind it is. */
  private static final class Count {
    int images;
    int files;
    long inline;
    int open;
    long openInline;

    /** What is open is of {@code type}; null where this object does not say. */
    void settle(@Nullable String type) {
      if (open == 0 || type == null || SOURCES.contains(type)) {
        return;
      }
      boolean image = IMAGES.contains(type);
      boolean file = FILES.contains(type);
      images += image ? open : 0;
      files += file ? open : 0;
      inline += image || file ? openInline : 0;
      open = 0;
      openInline = 0;
    }
  }

  /** Reads {@code body}; what is not JSON has none. */
  public static Attachments of(byte[] body) {
    var count = new Count();
    try (var p = Json.parser(body)) {
      p.nextToken();
      value(p, count);
    } catch (JacksonException e) {
      // Refused elsewhere.
    }
    return new Attachments(count.images, count.files + count.open, count.inline + count.openInline);
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return images == 0 && files == 0;
  }

  private static void value(JsonParser p, Count count) {
    if (p.currentToken() == JsonToken.START_ARRAY) {
      Json.elements(p, element -> value(element, count));
    } else if (p.currentToken() == JsonToken.START_OBJECT) {
      object(p, count);
    }
  }

  private static void object(JsonParser p, Count count) {
    // What is open around this object is none of its business.
    int open = count.open;
    long openInline = count.openInline;
    count.open = 0;
    count.openInline = 0;
    var type = new @Nullable String[1];
    Json.fields(
        p,
        (name, field) -> {
          if (field.currentToken() == JsonToken.VALUE_STRING) {
            if (name.equals("type") || isMimeType(name)) {
              type[0] = name.equals("type") ? field.getString() : kind(field.getString());
            } else if (NAMED.contains(name)) {
              count.open++;
              count.openInline += isInline(name, field) ? field.getStringLength() : 0;
            }
          } else if (!OTHERS_WORDS.contains(name)
              && !(name.equals("input") && field.currentToken() == JsonToken.START_OBJECT)) {
            value(field, count);
          }
        });
    count.settle(type[0]);
    count.open += open;
    count.openInline += openInline;
  }

  private static boolean isMimeType(String name) {
    return name.equals("mimeType") || name.equals("mime_type");
  }

  private static String kind(String mimeType) {
    return mimeType.startsWith("image/") ? "image" : "document";
  }

  private static boolean isInline(String name, JsonParser p) {
    return name.equals("data") || p.getString().startsWith("data:");
  }
}
