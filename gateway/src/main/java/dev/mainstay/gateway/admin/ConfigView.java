package dev.mainstay.gateway.admin;

import dev.mainstay.config.Config;
import dev.mainstay.core.settings.SettingsView;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.http.Routes.Flat;
import dev.mainstay.wire.json.Tree;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is in force, for {@code GET /api/config}: every setting under the name that it has in the
 * file, and written as there, with what the defaults filled in. No key, no token, no header's
 * value. {@code sources} says of each value where it comes from, {@code notices} what was left out.
 */
final class ConfigView {
  private ConfigView() {}

  /**
   * What is in force.
   *
   * @param sources where each value comes from, by its path
   * @param notices what was left out
   * @param settings as the schema of the file has them
   */
  record Shown(
      Map<String, String> sources, List<String> notices, @Flat Map<String, Json.Raw> settings) {}

  static Map<String, @Nullable Object> of(Config config) {
    var view = SettingsView.of(config);
    view.put("sources", config.findings().origins());
    view.put("notices", config.notices());
    return view;
  }

  /** The same for who may not read prompts: agents' instructions are stars. */
  static String withoutPrompts(Config config) {
    var view = (ObjectNode) Tree.read(Json.of(of(config)));
    for (var agent : view.path("agents")) {
      if (agent.path("instructions").path("text").isString()) {
        ((ObjectNode) agent.path("instructions")).put("text", "***");
      }
    }
    return Tree.write(view);
  }
}
