package dev.mainstay.config.migrate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a config object of Portkey's, as
 * https://portkey.ai/docs/api-reference/inference-api/config-object has it. Its one route becomes
 * the model {@value #MODEL}.
 */
final class PortkeyImport {
  static final String MODEL = "assistant";

  private static final Map<String, String> ADVICE =
      Map.of(
          "cache", "Mainstay keeps answers only under an Idempotency-Key (idempotency)",
          "input_guardrails", "Mainstay does not read what clients say",
          "output_guardrails", "Mainstay does not read what models say",
          "strategy", "Mainstay tries targets in order, by weight or by load (models.NAME.balance)",
          "forward_headers", "the provider's own headers pass; providers.NAME.headers adds more");

  private final ConfigDraft draft = new ConfigDraft();
  private final ConfigDraft.Model model = new ConfigDraft.Model();

  private PortkeyImport() {}

  static ConfigDraft read(Given file) {
    var reader = new PortkeyImport();
    reader.draft.models.put(MODEL, reader.model);
    reader.route(file, "", 1);
    return reader.draft;
  }

  /**
   * @param weight 0 for what takes over from the targets before it
   */
  private void route(Given given, String path, int weight) {
    var strategy = given.map("strategy");
    boolean shared = "loadbalance".equals(strategy.text("mode"));
    if (shared && weight > 0) {
      draft.balance = "weighted";
    } else if (shared) {
      draft.note(path + "strategy", "Mainstay asks fallback targets in order, not by weight");
    } else if ("conditional".equals(strategy.text("mode"))) {
      draft.note(
          path + "strategy", "give each case a name under models, and let clients ask for it");
    }
    retry(given.map("retry"));
    var timeout = given.number("request_timeout");
    if (timeout != null) {
      draft.recovery.put("deadline", timeout.longValue() + "ms");
    }
    var targets = given.list("targets");
    for (int i = 0; i < targets.size(); i++) {
      var target = targets.get(i);
      var share = target.number("weight");
      // Shares such as 0.7 become whole numbers.
      int whole = share == null ? weight : (int) Math.round(share * (share <= 1 ? 100 : 1));
      boolean takesOver = weight == 0 || !shared && i > 0;
      route(target, path + "targets[" + i + "].", takesOver ? 0 : shared ? whole : weight);
    }
    if (targets.isEmpty()) {
      target(given, path, weight);
    }
    given.rest(path.isEmpty() ? "config" : path.substring(0, path.length() - 1), ADVICE, draft);
  }

  private void retry(Given retry) {
    var attempts = retry.number("attempts");
    if (attempts != null) {
      draft.recovery.put("retry", "{ max-per-target: " + (attempts.intValue() + 1) + " }");
    }
    if (retry.value("on_status_codes") != null) {
      draft.note("retry.on_status_codes", "the meaning of a failure decides on retries");
    }
  }

  private void target(Given given, String path, int weight) {
    var name = given.text("provider");
    var virtual = given.text("virtual_key");
    var vendorName = name != null ? name.replaceFirst("^@", "") : virtual;
    var overrides = given.map("override_params");
    var asked = overrides.text("model");
    overrides.rest(path + "override_params", ADVICE, draft);
    var vendor = vendorName == null ? null : named(vendorName);
    var url = given.text("custom_host");
    url = vendor == null ? null : url == null ? vendor.baseUrl() : vendor.base(url);
    if (vendorName == null || vendor == null || url == null) {
      draft.note(
          path + "provider", vendorName + " is not a provider that Mainstay knows; add it by hand");
      return;
    }
    var provider = draft.provider(vendorName, vendor.dialect(), url, Map.of());
    var key = given.text("api_key");
    var into = draft.providers.get(provider);
    if (into != null) {
      into.keys.add(key != null ? key : "${" + vendor.variable() + "}");
    }
    if (asked == null) {
      draft.note(path + "override_params.model", "name the model: " + provider + "/MODEL");
    } else {
      model.targets.merge(provider + "/" + asked, weight, Integer::sum);
    }
  }

  /** Virtual keys and integrations are often named after their provider: openai-prod, say. */
  private static @Nullable Vendor named(String name) {
    var rest = new ArrayList<>(List.of(name.split("-")));
    while (!rest.isEmpty()) {
      var vendor = Vendor.named(String.join("-", rest));
      if (vendor != null) {
        return vendor;
      }
      rest.removeLast();
    }
    return name.startsWith("google") ? Vendor.named("gemini") : null;
  }

  /** What a config of Portkey's has and no other. */
  static boolean isOne(Given file) {
    return file.has("targets")
        || file.has("strategy")
        || file.has("provider")
        || file.has("virtual_key");
  }
}
