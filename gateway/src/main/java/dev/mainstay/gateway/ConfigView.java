package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.core.settings.SettingsView;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is in force, for {@code GET /api/config}: every setting under the name that it has in the
 * file, and written as there, with what the defaults filled in. No key, no token, no header's
 * value. {@code sources} says of each value where it comes from, {@code notices} what was left out.
 */
final class ConfigView {
  private ConfigView() {}

  static Map<String, @Nullable Object> of(Config config) {
    var view = SettingsView.of(config);
    view.put("sources", config.findings().origins());
    view.put("notices", config.notices());
    return view;
  }
}
