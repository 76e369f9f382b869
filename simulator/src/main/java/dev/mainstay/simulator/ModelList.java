package dev.mainstay.simulator;

import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The models that a provider offers: those of the script, else a few well-known ones. */
final class ModelList {
  private static final List<String> OPENAI =
      List.of("gpt-4o", "gpt-4o-mini", "text-embedding-3-small");
  private static final List<String> ANTHROPIC = List.of("claude-haiku-4-5", "claude-sonnet-4-5");
  private static final List<String> GEMINI = List.of("gemini-2.5-flash", "gemini-2.5-pro");
  private static final int CREATED = 1_700_000_000;

  private ModelList() {}

  private static List<String> names(String provider, Script script, List<String> usual) {
    Stream<String> scripted =
        script.models().keySet().stream()
            .filter(name -> !name.endsWith("*"))
            .filter(name -> name.indexOf('/') < 0 || name.startsWith(provider + "/"))
            .map(
                name ->
                    name.startsWith(provider + "/") ? name.substring(provider.length() + 1) : name);
    var names = scripted.sorted().distinct().toList();
    return names.isEmpty() ? usual : names;
  }

  /** The list, or one model, in the shape that the asking client parses. */
  static String of(Route.Models asked, boolean anthropic, Script script) {
    if (asked.gemini()) return gemini(asked, script);
    if (anthropic) return anthropic(asked, script);
    if (!asked.model().isEmpty()) return Json.write(openAi(asked.model()));
    var body = Json.object().put("object", "list");
    var data = body.putArray("data");
    for (String name : names(asked.provider(), script, OPENAI)) data.add(openAi(name));
    return Json.write(body);
  }

  private static ObjectNode openAi(String name) {
    return Json.object()
        .put("id", name)
        .put("object", "model")
        .put("created", CREATED)
        .put("owned_by", "simulator");
  }

  private static String anthropic(Route.Models asked, Script script) {
    if (!asked.model().isEmpty()) return Json.write(claude(asked.model()));
    var body = Json.object();
    var data = body.putArray("data");
    var names = names(asked.provider(), script, ANTHROPIC);
    for (String name : names) data.add(claude(name));
    return Json.write(
        body.put("has_more", false)
            .put("first_id", names.getFirst())
            .put("last_id", names.getLast()));
  }

  private static ObjectNode claude(String name) {
    return Json.object()
        .put("type", "model")
        .put("id", name)
        .put("display_name", name)
        .put("created_at", "2025-01-01T00:00:00Z");
  }

  private static String gemini(Route.Models asked, Script script) {
    if (!asked.model().isEmpty()) return Json.write(google(asked.model()));
    var body = Json.object();
    var models = body.putArray("models");
    for (String name : names(asked.provider(), script, GEMINI)) models.add(google(name));
    return Json.write(body);
  }

  private static ObjectNode google(String name) {
    var model =
        Json.object()
            .put("name", "models/" + name)
            .put("version", "001")
            .put("displayName", name)
            .put("inputTokenLimit", 1_048_576)
            .put("outputTokenLimit", 65_536);
    model.putArray("supportedGenerationMethods").add("generateContent").add("countTokens");
    return model;
  }
}
