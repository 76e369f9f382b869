package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Puts a line of text in the place of images that a provider refuses. */
public final class ImageRepair {
  /** As many images as repairs take out of a request, over all of them. */
  public static final int AT_MOST = 3;

  static final String PLACEHOLDER = "[image removed: the provider refused it]";

  /** Contents within contents: a tool's result within a turn. */
  private static final int DEPTH = 3;

  private final Dialect dialect;
  private final List<Image> images = new ArrayList<>();

  /** How many were taken out before. */
  private int removed;

  private record Image(String path, String where, LocatedValue block) {}

  private ImageRepair(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * {@code body} with the images replaced that {@code error} names by their place or address, else
   * with the oldest replaced; {@value #AT_MOST} of them at most, those that earlier repairs took
   * out included. The sizes are the images there are.
   *
   * @param error the body of the provider's error, or "" where it does not say why
   * @return empty where there is no image, or as many as may be are gone
   */
  public static Optional<EditedRequest> strip(Dialect dialect, byte[] body, String error) {
    var repair = find(dialect, body);
    var found = repair.images;
    if (found.isEmpty()) {
      return Optional.empty();
    }
    var chosen = named(found, error);
    if (chosen.isEmpty()) {
      chosen = found;
    }
    int may = AT_MOST - repair.removed;
    if (may <= 0) {
      return Optional.empty();
    }
    chosen = chosen.subList(0, Math.min(may, chosen.size()));
    var edits = new BodyEdits(body);
    chosen.forEach(image -> edits.replace(image.block, repair.placeholder(image.block)));
    int left = found.size() - chosen.size();
    return Optional.of(
        new EditedRequest(
            edits.apply(),
            found.size(),
            left,
            "replaced " + chosen.size() + " of " + found.size() + " images by a line of text",
            null,
            Set.of("image")));
  }

  /** How many images {@code body} has. */
  public static int count(Dialect dialect, byte[] body) {
    return find(dialect, body).images.size();
  }

  private static ImageRepair find(Dialect dialect, byte[] body) {
    var repair = new ImageRepair(dialect);
    var turns =
        switch (dialect) {
          case OPENAI_CHAT, MISTRAL, ANTHROPIC -> "messages";
          case OPENAI_RESPONSES -> "input";
          case GEMINI -> "contents";
        };
    var request = LocatedValue.object(body);
    var list = request == null ? null : request.get(turns);
    if (list != null) {
      repair.find(list, turns, 0);
    }
    return repair;
  }

  private void find(LocatedValue turns, String path, int depth) {
    var items = turns.isArray() ? turns.items() : List.of(turns);
    for (int i = 0; i < items.size(); i++) {
      turn(items.get(i), path + "." + i, depth);
    }
  }

  private void turn(LocatedValue turn, String path, int depth) {
    if (depth > DEPTH || !turn.isObject()) {
      return;
    }
    var text = turn.get("text");
    if (text != null
        && text.span().length() == PLACEHOLDER.length() + 2
        && text.text().equals(PLACEHOLDER)) {
      removed++;
      return;
    }
    if (isImage(turn)) {
      images.add(new Image(path + ".", address(turn), turn));
      return;
    }
    for (var name : List.of("content", "parts", "output")) {
      var content = turn.get(name);
      if (content != null && content.isArray()) {
        find(content, path + "." + name, depth + 1);
      }
    }
    var result = turn.get("functionResponse", "function_response");
    if (result != null) {
      turn(result, path, depth + 1);
    }
  }

  private boolean isImage(LocatedValue block) {
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> block.text("type").equals("image_url");
      case OPENAI_RESPONSES -> block.text("type").equals("input_image");
      case ANTHROPIC -> block.text("type").equals("image");
      case GEMINI -> {
        var data = block.get("inlineData", "inline_data", "fileData", "file_data");
        yield data != null && (mime(data).startsWith("image/"));
      }
    };
  }

  private static String mime(LocatedValue data) {
    var mime = data.get("mimeType", "mime_type");
    return mime == null ? "" : mime.text();
  }

  /** Where the image is to be fetched, or "". */
  private static String address(LocatedValue block) {
    var said = block.get("image_url", "source", "fileData", "file_data");
    if (said == null) {
      return "";
    }
    var url = said.isString() ? said : said.get("url", "fileUri", "file_uri");
    // An image that is in the request itself may be megabytes long: its start is enough.
    var text = url == null || url.span().length() > 4_000 ? "" : url.text();
    return text.startsWith("http") ? text : "";
  }

  private static List<Image> named(List<Image> images, String error) {
    if (error.isEmpty()) {
      return List.of();
    }
    var said = ProviderWords.read(error);
    var paths = new ArrayList<String>();
    said.named().forEach(path -> paths.add(dotted(path)));
    for (var word : said.words()) {
      if (word.text().indexOf('.') > 0 || word.text().indexOf('[') > 0) {
        paths.add(dotted(word.text()));
      }
    }
    return images.stream()
        .filter(
            image ->
                !image.where.isEmpty() && said.text().contains(image.where)
                    || paths.stream().anyMatch(path -> path.startsWith(image.path)))
        .toList();
  }

  /** {@code messages[0].content[1]} is {@code messages.0.content.1.} */
  private static String dotted(String path) {
    return path.replace("[", ".").replace("]", "") + ".";
  }

  private String placeholder(LocatedValue block) {
    var text = BodyEdits.quoted(PLACEHOLDER);
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> "{\"type\":\"text\",\"text\":" + text + "}";
      case OPENAI_RESPONSES -> "{\"type\":\"input_text\",\"text\":" + text + "}";
      case ANTHROPIC -> {
        // A mark for the prompt cache stays where it was.
        var mark = block.get("cache_control");
        yield "{\"type\":\"text\",\"text\":"
            + text
            + (mark == null ? "" : ",\"cache_control\":" + mark.json())
            + "}";
      }
      case GEMINI -> "{\"text\":" + text + "}";
    };
  }
}
