package dev.mainstay.wire.request;

import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.request.ServerTools.Fee;
import dev.mainstay.wire.request.ServerTools.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads from a request's fields which tools its provider runs, by the rules of each dialect. */
final class ServerToolsReader {
  /** A limit above this is none: nobody means to pay for it. */
  private static final long MOST_USES = 1_000;

  /**
   * Anthropic's model is asked ten times at most within a request.
   * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons#pause-turn
   */
  private static final long ANTHROPIC_READINGS = 10;

  /**
   * Pages that url_context fetches for a request: https://ai.google.dev/gemini-api/docs/url-context
   */
  private static final long GEMINI_PAGES = 20;

  private static final String LEAVE_OUT = "leave it out, or ask with a key that has no such budget";

  /** Types of tools that the client runs; of Anthropic's the beginnings, which a date follows. */
  private static final Set<String> CLIENTS =
      Set.of(
          "function",
          "custom",
          "namespace",
          "computer",
          "computer_use_preview",
          "local_shell",
          "apply_patch");

  private static final List<String> ANTHROPIC_CLIENTS =
      List.of("bash_", "text_editor_", "computer_", "memory_");

  /** Fields of Chat that have the provider search, each of another provider's. */
  private static final Set<String> CHAT_SEARCHES =
      Set.of("web_search_options", "search_parameters", "plugins", "enable_search");

  private static final Set<String> GEMINI_CLIENTS =
      Set.of("functionDeclarations", "function_declarations", "computerUse", "computer_use");

  /** What a tool says of itself. */
  private static final class Said {
    String type = "";
    @Nullable Long maxUses;
    boolean usesSaid;
    boolean bigContainer;
    boolean remote = true;
  }

  private final Operation operation;
  private final List<Said> said = new ArrayList<>(0);
  private final List<Tool> tools = new ArrayList<>(0);
  private @Nullable Long maxToolCalls;
  private boolean toolCallsSaid;

  ServerToolsReader(Operation operation) {
    this.operation = operation;
  }

  void field(JsonWalk walk) {
    var name = walk.name();
    switch (name) {
      case "tools" -> list(walk);
      case "max_tool_calls" -> {
        maxToolCalls = most(toolCallsSaid, maxToolCalls, limit(walk));
        toolCallsSaid = true;
      }
      case "mcp_servers" -> {
        if (operation == Operation.MESSAGES && walk.says()) {
          tools.add(unknown(name));
        }
      }
      // What a provider keeps as a prompt may bring tools of its own.
      case "prompt" -> {
        if (operation == Operation.RESPONSES && walk.says()) {
          tools.add(unknown(name));
        }
      }
      default -> {
        if (operation == Operation.CHAT
            && CHAT_SEARCHES.contains(name)
            && walk.kind() != JsonWalk.Kind.NULL
            && walk.kind() != JsonWalk.Kind.FALSE) {
          tools.add(unknown(name));
        }
      }
    }
  }

  private void list(JsonWalk walk) {
    if (walk.kind() == JsonWalk.Kind.OBJECT) {
      tool(walk); // Google's JSON reads one where a list is due
      return;
    }
    for (walk.array(); walk.element(); ) {
      tool(walk);
    }
  }

  private void tool(JsonWalk walk) {
    if (operation == Operation.GENERATE) {
      for (walk.object(); walk.field(); ) {
        gemini(walk);
      }
      return;
    }
    var tool = new Said();
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "type" -> tool.type = String.valueOf(walk.string());
        case "max_uses" -> {
          tool.maxUses = most(tool.usesSaid, tool.maxUses, limit(walk));
          tool.usesSaid = true;
        }
        case "container" -> container(walk, tool);
        case "environment" -> {
          for (walk.object(); walk.field(); ) {
            tool.remote &= !(walk.name().equals("type") && walk.is("local"));
          }
        }
        case "execution" -> tool.remote &= !walk.is("client");
        default -> {}
      }
    }
    said.add(tool);
  }

  private static void container(JsonWalk walk, Said tool) {
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("memory_limit")) {
        tool.bigContainer = walk.kind() != JsonWalk.Kind.NULL && !walk.is("1g");
      }
    }
  }

  /** Of a field that is given twice either value may count. */
  private static @Nullable Long most(boolean again, @Nullable Long before, @Nullable Long now) {
    if (!again || now == null) {
      return now;
    }
    return before == null ? null : (Long) Math.max(before, now);
  }

  private static @Nullable Long limit(JsonWalk walk) {
    if (walk.kind() != JsonWalk.Kind.NUMBER) {
      return null;
    }
    // A provider may take 0 and below for no limit.
    long most = walk.ceiling();
    return most <= 0 || most > MOST_USES ? null : (Long) most;
  }

  ServerTools tools() {
    long readings =
        switch (operation) {
          case RESPONSES -> responses();
          case MESSAGES -> anthropic();
          case GENERATE -> geminiReadings();
          default -> {
            chat();
            yield 0;
          }
        };
    return tools.isEmpty() ? ServerTools.NONE : new ServerTools(List.copyOf(tools), readings);
  }

  private void chat() {
    for (var tool : said) {
      if (!tool.type.isEmpty() && !CLIENTS.contains(tool.type)) {
        tools.add(unknown(tool.type));
      }
    }
  }

  // ---- Responses: one limit for all of them

  private long responses() {
    for (var tool : said) {
      if (!tool.type.isEmpty() && !CLIENTS.contains(tool.type) && tool.remote) {
        tools.add(ofResponses(tool));
      }
    }
    return maxToolCalls == null ? 0 : maxToolCalls;
  }

  private Tool ofResponses(Said tool) {
    var type = tool.type;
    if (type.startsWith("web_search_preview")) {
      return counted(type, Unit.WEB_SEARCH_PREVIEW);
    }
    if (type.startsWith("web_search")) {
      return counted(type, Unit.WEB_SEARCH);
    }
    return switch (type) {
      case "file_search" -> counted(type, Unit.FILE_SEARCH);
      case "image_generation" -> counted(type, Unit.IMAGE_GENERATION);
      case "code_interpreter" ->
          tool.bigContainer
              ? new Tool(type, List.of(), "ask for a container of 1g", true)
              : counted(type, Unit.CODE_SESSION);
      // Whether these count as calls of built-in tools nobody says.
      default -> unknown(type);
    };
  }

  private Tool counted(String type, Unit unit) {
    return new Tool(
        type, List.of(new Fee(unit, maxToolCalls)), "say max_tool_calls", maxToolCalls == null);
  }

  // ---- Anthropic: a limit for each, and one for how often the model is asked

  private long anthropic() {
    boolean filters = false;
    for (var tool : said) {
      filters |= filters(tool.type);
    }
    for (var tool : said) {
      var type = tool.type;
      if (!type.isEmpty()
          && !CLIENTS.contains(type)
          && ANTHROPIC_CLIENTS.stream().noneMatch(type::startsWith)) {
        tools.add(ofAnthropic(tool, filters));
      }
    }
    return tools.isEmpty() ? 0 : ANTHROPIC_READINGS;
  }

  private static Tool ofAnthropic(Said tool, boolean filters) {
    var type = tool.type;
    if (type.startsWith("web_search_")) {
      return new Tool(type, List.of(new Fee(Unit.WEB_SEARCH, tool.maxUses)), "say max_uses", false);
    }
    boolean free =
        type.startsWith("web_fetch_")
            || type.startsWith("tool_search_tool_")
            || (filters && type.startsWith("code_execution_"));
    // Alone, its container is paid by the hour, and how long it runs is nobody's to say.
    return free ? new Tool(type, List.of(), "", false) : unknown(type);
  }

  /** Searches that code of the model's own sorts out, with which running code is free. */
  private static boolean filters(String type) {
    return (type.startsWith("web_search_") && type.compareTo("web_search_20260209") >= 0)
        || (type.startsWith("web_fetch_") && type.compareTo("web_fetch_20260209") >= 0);
  }

  // ---- Gemini: no limits but its own

  private void gemini(JsonWalk walk) {
    var name = walk.name();
    if (GEMINI_CLIENTS.contains(name) || walk.kind() == JsonWalk.Kind.NULL) {
      return;
    }
    tools.add(
        switch (name) {
          case "googleSearch",
              "google_search",
              "googleSearchRetrieval",
              "google_search_retrieval" ->
              new Tool(
                  name,
                  List.of(new Fee(Unit.GROUNDED_ANSWER, 1L), new Fee(Unit.WEB_SEARCH, null)),
                  LEAVE_OUT,
                  false);
          case "urlContext", "url_context" -> new Tool(name, List.of(), "", false);
          default -> unknown(name);
        });
  }

  private long geminiReadings() {
    long readings = 0;
    for (var tool : tools) {
      readings += tool.fees().isEmpty() ? GEMINI_PAGES : 1;
    }
    return readings;
  }

  private static Tool unknown(String name) {
    return new Tool(name, List.of(), LEAVE_OUT, true);
  }
}
