package dev.mainstay.simulator;

import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The models that a provider offers: those of the script, else a few well-known ones. */
final class ModelList {
  private static final List<String> USUAL =
      List.of(
          "gpt-4o",
          "gpt-4o-mini",
          "text-embedding-3-small",
          "mistral-large-latest",
          "claude-sonnet-4-5");

  private ModelList() {}

  static List<String> names(String provider, Script script) {
    Stream<String> scripted =
        script.models().keySet().stream()
            .filter(name -> !name.endsWith("*"))
            .map(
                name ->
                    name.startsWith(provider + "/") ? name.substring(provider.length() + 1) : name);
    var names = scripted.sorted().distinct().toList();
    return names.isEmpty() ? USUAL : names;
  }

  /** The list, or one model, in OpenAI's and Mistral's shape. */
  static String of(Route.Models asked, Script script) {
    if (!asked.model().isEmpty()) {
      return Json.write(entry(asked.model()));
    }
    var body = Json.object().put("object", "list");
    var data = body.putArray("data");
    for (String name : names(asked.provider(), script)) data.add(entry(name));
    return Json.write(body);
  }

  private static ObjectNode entry(String name) {
    return Json.object()
        .put("id", name)
        .put("object", "model")
        .put("created", 1_700_000_000)
        .put("owned_by", "simulator");
  }
}
