package dev.mainstay.gateway;

import dev.mainstay.call.CallSettings;
import dev.mainstay.gateway.config.Config;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What is in force, for {@code GET /api/config}: no key, no token, no header's value. */
final class ConfigView {
  private ConfigView() {}

  static Map<String, Object> of(Config config) {
    var map = new LinkedHashMap<String, Object>();
    var server = new LinkedHashMap<String, Object>();
    server.put("host", config.server().host());
    server.put("port", config.server().port());
    server.put("max-body", config.server().maxBody());
    server.put("drain", config.server().drain());
    server.put("keep-alive", config.server().keepAlive());
    server.put("tls", config.server().tls() != null);
    map.put("server", server);
    map.put("admin", Map.of("token", config.adminToken().isEmpty() ? "" : "***"));
    map.put("store", Map.of("url", config.store()));
    var providers = new LinkedHashMap<String, Object>();
    config.providers().forEach((name, provider) -> providers.put(name, provider(provider)));
    map.put("providers", providers);
    var models = new LinkedHashMap<String, Object>();
    config.models().forEach((name, model) -> models.put(name, model(model)));
    map.put("models", models);
    map.put("recovery", recovery(config.calls()));
    map.put("clients", config.clients().stream().map(ConfigView::client).toList());
    var recording = new LinkedHashMap<String, Object>();
    recording.put("bodies", config.recording().bodies());
    recording.put("redact", config.recording().redact());
    recording.put("retention", config.recording().retention());
    recording.put("max-bytes", config.recording().maxBytes());
    map.put("recording", recording);
    map.put("notices", config.notices());
    return map;
  }

  private static Map<String, Object> provider(Config.Provider provider) {
    var map = new LinkedHashMap<String, Object>();
    map.put("dialect", provider.api().label());
    map.put("base-url", provider.baseUrl().toString());
    map.put("keys", provider.keys().stream().map(Object::toString).toList());
    map.put("headers", provider.headers().keySet());
    // A proxy's URL may hold a password.
    map.put("proxy", provider.direct() ? "none" : provider.proxy() == null ? null : "***");
    var ca = provider.ca();
    map.put("ca", ca == null ? null : ca.toString());
    return map;
  }

  private static Map<String, Object> model(Config.Model model) {
    var map = new LinkedHashMap<String, Object>();
    map.put("targets", model.targets().stream().map(t -> t.target().toString()).toList());
    map.put("balance", lower(model.balance()));
    map.put("recovery", recovery(model.calls()));
    return map;
  }

  private static Map<String, Object> recovery(CallSettings calls) {
    var policy = calls.policy();
    var map = new LinkedHashMap<String, Object>();
    map.put("max-attempts", policy.maxAttempts());
    map.put("deadline", policy.deadline());
    map.put("retry", Map.of("on", lower(policy.retry().on())));
    map.put("fallback", Map.of("on", lower(policy.fallback().on())));
    map.put("mid-stream", lower(policy.midStream()));
    map.put("tool-calls", lower(calls.toolCalls()));
    return map;
  }

  private static Map<String, Object> client(Config.Client client) {
    var map = new LinkedHashMap<String, Object>();
    map.put("name", client.name());
    map.put("key", client.key().toString());
    map.put("models", client.models());
    map.put("rpm", client.rpm());
    map.put("tpm", client.tpm());
    map.put("parallel", client.parallel());
    return map;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
