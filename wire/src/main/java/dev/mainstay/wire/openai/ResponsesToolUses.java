package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.ToolUses;
import dev.mainstay.wire.money.Unit;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts what OpenAI's own tools did by the items that tell of it: its usage names no fees. An item
 * comes when it is done and again in the whole answer, and counts once.
 */
final class ResponsesToolUses {
  /**
   * What a search may do besides searching:
   * https://platform.openai.com/docs/guides/tools-web-search
   */
  private static final Set<String> FREE = Set.of("open_page", "find_in_page", "find");

  /** Types of items that OpenAI makes by itself, and the beginnings of their events' names. */
  private static final Set<String> OWN =
      Set.of(
          "web_search_call",
          "file_search_call",
          "code_interpreter_call",
          "image_generation_call",
          "mcp_call",
          "mcp_list_tools");

  private final Set<String> searches = new HashSet<>(0);
  private final Set<String> fileSearches = new HashSet<>(0);
  private final Set<String> containers = new HashSet<>(0);
  private final Set<String> images = new HashSet<>(0);
  private boolean preview;
  private @Nullable String id;

  /** Whether items of {@code type} are made by OpenAI itself. */
  static boolean own(String type) {
    return OWN.contains(type);
  }

  /** Whether {@code event} tells of such an item. */
  static boolean tellsOfOwn(String event) {
    for (var type : OWN) {
      if (event.startsWith(type, "response.".length())) {
        return true;
      }
    }
    return false;
  }

  /** The id of the item that was read last. */
  @Nullable String id() {
    return id;
  }

  /** Reads one item of the output; returns its type, or "" where it names none. */
  String item(JsonWalk walk, boolean done) {
    String type = "";
    id = null;
    String container = "";
    boolean free = false;
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "type" -> type = String.valueOf(walk.oftenString());
        case "id" -> id = walk.string();
        case "container_id" -> container = String.valueOf(walk.string());
        case "action" -> {
          for (walk.object(); walk.field(); ) {
            if (walk.name().equals("type")) {
              free = FREE.contains(String.valueOf(walk.oftenString()));
            }
          }
        }
        default -> {}
      }
    }
    if (done) {
      count(type, String.valueOf(id), container, free);
    }
    return type;
  }

  private void count(String type, String id, String container, boolean free) {
    switch (type) {
      case "web_search_call" -> {
        if (!free) {
          searches.add(id);
        }
      }
      case "file_search_call" -> fileSearches.add(id);
      case "code_interpreter_call" -> containers.add(container);
      case "image_generation_call" -> images.add(id);
      default -> {}
    }
  }

  /** Reads the tools that the answer names again: by which of them it searched. */
  void offered(JsonWalk walk) {
    for (walk.array(); walk.element(); ) {
      for (walk.object(); walk.field(); ) {
        if (walk.name().equals("type")) {
          var type = walk.oftenString();
          preview |= type != null && type.startsWith("web_search_preview");
        }
      }
    }
  }

  ToolUses uses() {
    if (searches.isEmpty() && fileSearches.isEmpty() && containers.isEmpty() && images.isEmpty()) {
      return ToolUses.NONE;
    }
    return ToolUses.of(preview ? Unit.WEB_SEARCH_PREVIEW : Unit.WEB_SEARCH, searches.size())
        .plus(ToolUses.of(Unit.FILE_SEARCH, fileSearches.size()))
        .plus(ToolUses.of(Unit.CODE_SESSION, containers.size()))
        .plus(ToolUses.of(Unit.IMAGE_GENERATION, images.size()));
  }
}
