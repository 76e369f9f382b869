package dev.mainstay.wire.translate.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A piece of a turn. Immutable, save for the JSON in it, which nobody changes. */
public sealed interface Part {

  record Text(String text, @Nullable CacheMark cache) implements Part {}

  /**
   * An image, document, sound or film.
   *
   * @param mimeType where the request tells it
   * @param name the file's name or title
   * @param detail how closely to look: {@code low}, {@code high}, …; null for the default
   */
  record Media(
      Kind kind,
      Source source,
      @Nullable String mimeType,
      @Nullable String name,
      @Nullable String detail,
      @Nullable CacheMark cache)
      implements Part {}

  /**
   * What the model asked for.
   *
   * @param id empty where the dialect gave none
   * @param custom whether it is the call of a {@link CustomTool}
   */
  record ToolCall(
      String id,
      String name,
      ObjectNode arguments,
      @Nullable Seal seal,
      @Nullable CacheMark cache,
      boolean custom)
      implements Part {
    public ToolCall(
        String id,
        String name,
        ObjectNode arguments,
        @Nullable Seal seal,
        @Nullable CacheMark cache) {
      this(id, name, arguments, seal, cache, false);
    }
  }

  /**
   * What a tool gave.
   *
   * @param id of the call it answers
   * @param name of the tool, or null where neither the dialect nor the call tells it
   * @param content texts and media
   */
  record ToolResult(
      String id,
      @Nullable String name,
      List<Part> content,
      boolean error,
      @Nullable CacheMark cache)
      implements Part {
    public ToolResult {
      content = List.copyOf(content);
    }
  }

  /** Reasoning of an earlier answer; goes back only to the dialect that sealed it. */
  record Reasoning(String text, @Nullable Seal seal) implements Part {}

  /** An earlier refusal in words. */
  record Refusal(String text) implements Part {}

  enum Kind {
    IMAGE,
    DOCUMENT,
    AUDIO,
    VIDEO
  }

  /** Where a medium is found. */
  sealed interface Source {
    /**
     * @param data in the standard alphabet, padded, whichever way the client wrote it: Google's
     *     Python SDK writes the URL-safe alphabet, which the other providers refuse
     */
    record Base64(String data) implements Source {
      public Base64 {
        data = standard(data);
      }

      private static String standard(String data) {
        boolean other = data.length() % 4 != 0;
        for (int i = 0; i < data.length() && !other; i++) {
          char c = data.charAt(i);
          other = c == '-' || c == '_' || c <= ' ';
        }
        if (!other) {
          return data;
        }
        var out = new StringBuilder(data.length() + 3);
        for (int i = 0; i < data.length(); i++) {
          char c = data.charAt(i);
          if (c > ' ') {
            out.append(c == '-' ? '+' : c == '_' ? '/' : c);
          }
        }
        while (out.length() % 4 > 1) {
          out.append('=');
        }
        return out.toString();
      }
    }

    record Url(String url) implements Source {}

    /** A document in plain text. */
    record Plain(String text) implements Source {}
  }

  /** The mark on this part, if it can carry one. */
  default @Nullable CacheMark mark() {
    return switch (this) {
      case Text text -> text.cache();
      case Media media -> media.cache();
      case ToolCall call -> call.cache();
      case ToolResult result -> result.cache();
      case Reasoning _, Refusal _ -> null;
    };
  }
}
