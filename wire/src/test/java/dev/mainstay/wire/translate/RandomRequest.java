package dev.mainstay.wire.translate;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.CacheMark;
import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Kind;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Requests as clients write them, from a seed. */
final class RandomRequest {
  private static final String[] WORDS = {
    "Hello",
    "日本語",
    "{\"a\":1}",
    "line\nbreak",
    "\"quoted\"",
    "emoji 🎉",
    "{\"output\":1}",
    "[]",
    "{"
  };

  private final Random random;
  private final List<Tool> tools = new ArrayList<>();
  private int calls;

  RandomRequest(long seed) {
    random = new Random(seed);
  }

  Request next() {
    if (often()) {
      for (int i = 0; i <= random.nextInt(3); i++) {
        tools.add(tool(i));
      }
    }
    var turns = new ArrayList<Turn>();
    if (often()) {
      turns.add(new Turn(Role.SYSTEM, texts()));
    }
    int rounds = 1 + random.nextInt(3);
    for (int i = 0; i < rounds; i++) {
      turns.add(new Turn(Role.USER, said(), rarely() ? "ann" : null, false));
      if (rarely()) {
        turns.add(new Turn(Role.SYSTEM, texts()));
      }
      if (i + 1 < rounds || often()) {
        answer(turns);
      }
    }
    return new Request(turns, tools, choice(), settings(), format(), thinking());
  }

  private void answer(List<Turn> turns) {
    var parts = new ArrayList<Part>();
    if (often() || tools.isEmpty()) {
      parts.add(rarely() ? new Part.Refusal("I cannot.") : text());
    }
    if (tools.isEmpty() || !often()) {
      if (parts.isEmpty()) {
        parts.add(text());
      }
      turns.add(new Turn(Role.ASSISTANT, parts));
      return;
    }
    var results = new ArrayList<Part>();
    for (int i = 0; i <= random.nextInt(2); i++) {
      var tool = tools.get(random.nextInt(tools.size()));
      var id = "call_" + calls++;
      boolean custom = tool.custom() != null;
      var arguments = custom ? CustomTool.arguments("a \"b\"\n") : arguments();
      parts.add(new Part.ToolCall(id, tool.name(), arguments, null, null, custom));
      var content = new ArrayList<Part>(List.of(text()));
      if (rarely()) {
        content.add(image());
      }
      results.add(new Part.ToolResult(id, tool.name(), content, rarely(), null));
    }
    turns.add(new Turn(Role.ASSISTANT, parts));
    turns.add(new Turn(Role.USER, results));
  }

  private List<Part> said() {
    var parts = new ArrayList<Part>(List.of(text()));
    if (rarely()) {
      parts.add(image());
    }
    if (rarely()) {
      parts.add(
          new Part.Media(
              Kind.DOCUMENT, new Source.Base64("aGk="), "application/pdf", "a.pdf", null, null));
    }
    if (rarely()) {
      parts.add(
          new Part.Media(Kind.DOCUMENT, new Source.Plain("words"), "text/plain", "t", null, null));
    }
    if (rarely()) {
      parts.add(
          new Part.Media(Kind.AUDIO, new Source.Base64("aGk="), "audio/wav", null, null, null));
    }
    return parts;
  }

  private Part image() {
    return new Part.Media(
        Kind.IMAGE,
        often() ? new Source.Base64("aGk=") : new Source.Url("https://example.com/a.png"),
        "image/png",
        null,
        rarely() ? "low" : null,
        cache());
  }

  private List<Part> texts() {
    return often() ? List.of(text()) : List.of(text(), text());
  }

  private Part text() {
    return new Part.Text(WORDS[random.nextInt(WORDS.length)], cache());
  }

  private @Nullable CacheMark cache() {
    return random.nextInt(40) == 0 ? new CacheMark(false) : null;
  }

  private ObjectNode arguments() {
    var arguments = Tree.object();
    for (int i = random.nextInt(3); i > 0; i--) {
      arguments.set("k" + i, Body.parse(often() ? "1.50" : "[{\"x\":null},\"ü\"]"));
    }
    return arguments;
  }

  private Tool tool(int i) {
    if (rarely()) {
      var grammar = Tree.object().put("syntax", "regex").put("definition", "a+");
      return new Tool(
          "tool_" + i,
          often() ? "Does it." : null,
          CustomTool.schema(),
          null,
          null,
          new CustomTool(rarely() ? grammar : null));
    }
    ObjectNode schema = null;
    if (often()) {
      schema = Tree.object().put("type", "object");
      schema.putObject("properties").putObject("x").put("type", "string");
      schema.putArray("required").add("x");
      schema.put("additionalProperties", false);
    }
    return new Tool(
        "tool_" + i, often() ? "Does it." : null, schema, rarely() ? Boolean.TRUE : null, cache());
  }

  private @Nullable ToolChoice choice() {
    if (tools.isEmpty() || often()) {
      return null;
    }
    return switch (random.nextInt(5)) {
      case 0 -> ToolChoice.of(Mode.NONE);
      case 1 -> ToolChoice.of(Mode.REQUIRED);
      case 2 -> new ToolChoice(Mode.REQUIRED, List.of(tools.getFirst().name()));
      case 3 -> new ToolChoice(Mode.AUTO, List.of(tools.getFirst().name()));
      default -> ToolChoice.of(Mode.AUTO);
    };
  }

  private Map<Feature, JsonNode> settings() {
    var settings = new EnumMap<Feature, JsonNode>(Feature.class);
    settings.put(Feature.MAX_TOKENS, Body.parse("" + (16 + random.nextInt(9000))));
    for (var feature : Feature.values()) {
      if (feature.type() != null && random.nextInt(25) == 0) {
        var sample = sample(feature);
        if (sample != null) {
          settings.put(feature, sample);
        }
      }
    }
    return settings;
  }

  /** A value for a setting that says something; null for those that are refused or derived. */
  static @Nullable JsonNode sample(Feature feature) {
    return switch (feature) {
      case MAX_TOKENS -> Body.parse("100");
      case TEMPERATURE, TOP_P -> Body.parse("0.70");
      case TOP_K, SEED -> Body.parse("7");
      case PRESENCE_PENALTY, FREQUENCY_PENALTY -> Body.parse("0.5");
      case LOGIT_BIAS -> Body.parse("{\"50256\":-100}");
      case STOP -> Body.parse("[\"END\"]");
      case CHOICES -> Body.parse("2");
      case LOGPROBS -> Body.of(true);
      case TOP_LOGPROBS -> Body.parse("3");
      case VERBOSITY -> Body.of("low");
      case PREDICTION -> Body.parse("{\"type\":\"content\",\"content\":\"x\"}");
      case TRUNCATION -> Body.of("auto");
      case MAX_TOOL_CALLS -> Body.parse("2");
      case PARALLEL_TOOLS -> Body.of(false);
      case USER, SAFETY_IDENTIFIER -> Body.of("u1");
      case METADATA, LABELS -> Body.parse("{\"team\":\"blue\"}");
      case SERVICE_TIER -> Body.of("priority");
      case PROMPT_CACHE_KEY, PROMPT_CACHE_RETENTION -> Body.of("24h");
      case PROMPT_CACHE_OPTIONS -> Body.parse("{\"ttl\":\"30m\"}");
      case MODERATION -> Body.parse("{\"model\":\"m\"}");
      case SAFETY_SETTINGS -> Body.parse("[{\"category\":\"c\",\"threshold\":\"t\"}]");
      case GUARDRAILS -> Body.parse("[{}]");
      case SAFE_PROMPT -> Body.of(true);
      case SPEED -> Body.of("fast");
      default -> null;
    };
  }

  private @Nullable Format format() {
    if (!rarely()) {
      return null;
    }
    if (often()) {
      return new Format.Json();
    }
    var schema = Tree.object().put("type", "object");
    schema.putObject("properties").putObject("n").put("type", "integer");
    schema.putArray("required").add("n");
    schema.put("additionalProperties", false);
    return new Format.Schema("numbers", null, schema, true);
  }

  private @Nullable Thinking thinking() {
    return switch (random.nextInt(6)) {
      case 0 ->
          new Thinking(
              List.of(Effort.values()).get(random.nextInt(Effort.values().length)), null, null);
      case 1 -> new Thinking(null, 1024L * (1 + random.nextInt(20)), null);
      case 2 -> new Thinking(Effort.HIGH, null, true);
      default -> null;
    };
  }

  private boolean often() {
    return random.nextBoolean();
  }

  private boolean rarely() {
    return random.nextInt(12) == 0;
  }
}
