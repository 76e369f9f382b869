package dev.mainstay.config.migrate;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads LiteLLM's {@code config.yaml}, as https://docs.litellm.ai/docs/proxy/configs has it. */
final class LiteLlmImport {
  private static final String STORE =
      "several gateways share a PostgreSQL: store: { url: \"jdbc:postgresql://…\" }";
  private static final String TRACES =
      "the ledger and /metrics have all calls; Mainstay sends traces if OTEL_EXPORTER_OTLP_ENDPOINT"
          + " is set";

  private static final Map<String, String> ADVICE =
      Map.ofEntries(
          Map.entry("drop_params", "Mainstay drops parameters that a model refuses by default"),
          Map.entry("modify_params", "Mainstay repairs requests by default (recovery.repairs)"),
          Map.entry("set_verbose", "MAINSTAY_LOG=DEBUG"),
          Map.entry("json_logs", "--log-format json"),
          Map.entry("callbacks", TRACES),
          Map.entry("success_callback", TRACES),
          Map.entry("failure_callback", TRACES),
          Map.entry("cache", "Mainstay keeps answers only under an Idempotency-Key (idempotency)"),
          Map.entry("cache_params", "Mainstay keeps answers only under an Idempotency-Key"),
          Map.entry("redis_host", STORE),
          Map.entry("redis_port", STORE),
          Map.entry("redis_password", STORE),
          Map.entry("redis_url", STORE),
          Map.entry("database_url", STORE),
          Map.entry(
              "store_model_in_db", "models are in this file, which Mainstay reloads on a change"),
          Map.entry("max_budget", "clients: [{ name, key, budget: { usd, per } }]"),
          Map.entry("budget_duration", "clients: [{ name, key, budget: { usd, per } }]"),
          Map.entry("user_header_name", "each client has its own key (clients)"),
          Map.entry("max_parallel_requests", "clients[].limits.parallel"),
          Map.entry("global_max_parallel_requests", "recovery.in-flight.per-target"),
          Map.entry("input_cost_per_token", "prices: [{ model, unit: input, price }]"),
          Map.entry("output_cost_per_token", "prices: [{ model, unit: output, price }]"),
          Map.entry("enable_pre_call_checks", "a context error goes to the next target"),
          Map.entry("environment_variables", "set them where Mainstay runs"),
          Map.entry("guardrails", "Mainstay does not read what models say"),
          Map.entry("mcp_servers", "agents: { NAME: { mcp: […] } }"),
          Map.entry("temperature", "the client sends it"),
          Map.entry("max_tokens", "the client sends it"),
          Map.entry("api_version", "the base URL names the version"),
          Map.entry("model_info", "Mainstay's own table has the prices and limits of models"));

  private final ConfigDraft draft = new ConfigDraft();

  private LiteLlmImport() {}

  /** What {@code file} comes to. */
  static ConfigDraft read(Given file) {
    var reader = new LiteLlmImport();
    int at = 0;
    for (var entry : file.list("model_list")) {
      reader.deployment(entry, "model_list[" + at++ + "]");
    }
    reader.router(file.map("router_settings"), "router_settings");
    reader.router(file.map("litellm_settings"), "litellm_settings");
    reader.general(file.map("general_settings"));
    file.rest("", ADVICE, reader.draft);
    return reader.draft;
  }

  private void deployment(Given entry, String path) {
    var name = entry.text("model_name");
    var params = entry.map("litellm_params");
    var asked = params.text("model");
    entry.rest(path, ADVICE, draft);
    if (name == null || asked == null) {
      draft.note(path, "it has no model_name or no litellm_params.model");
      return;
    }
    int slash = asked.indexOf('/');
    var prefix = slash < 0 ? "" : asked.substring(0, slash);
    var said = params.text("custom_llm_provider");
    // A name such as meta/llama has a slash of its own.
    boolean known = Vendor.named(prefix) != null;
    var vendorName = said != null ? said : known || slash > 0 ? prefix : Vendor.ofModel(asked);
    var model = slash > 0 && (known || said == null) ? asked.substring(slash + 1) : asked;
    var vendor = Vendor.named(vendorName);
    if (vendor == null) {
      draft.note(
          path + " (" + name + ", " + asked + ")",
          "Mainstay does not speak the API of " + vendorName);
      return;
    }
    var base = params.text("api_base");
    base = base == null ? params.text("base_url") : base;
    var url = base(vendor, vendorName, base);
    if (url == null) {
      draft.note(path + " (" + name + ")", "its api_base is missing");
      return;
    }
    if (model.endsWith("*")) {
      provider(params, vendorName, vendor, url);
      draft.note(
          path + " (" + name + ")",
          "clients ask for provider/MODEL, of any model, without an entry");
      params.rest(path + ".litellm_params", ADVICE, draft);
      return;
    }
    var provider = provider(params, vendorName, vendor, url);
    var weight = params.number("weight");
    limits(params, provider);
    params.rest(path + ".litellm_params", ADVICE, draft);
    draft
        .models
        .computeIfAbsent(name, _ -> new ConfigDraft.Model())
        .targets
        .merge(provider + "/" + model, weight == null ? 1 : weight.intValue(), Integer::sum);
  }

  private static @Nullable String base(Vendor vendor, String name, @Nullable String given) {
    if (given == null) {
      return vendor.baseUrl();
    }
    var base = vendor.base(given);
    // Azure serves OpenAI's paths, and a deployment's name is its model, under /openai/v1.
    return name.equals("azure") && !base.contains("/openai") ? base + "/openai/v1" : base;
  }

  private String provider(Given params, String vendorName, Vendor vendor, String url) {
    // Prices and rules go by a provider's name where no vendor owns its address.
    var owner = Vendor.at(url);
    boolean foreign = owner == null && vendorName.equals(vendor.dialect());
    var called = owner != null ? owner : foreign ? vendorName + "-compatible" : vendorName;
    var name = draft.provider(called, vendor.dialect(), url, params.texts("extra_headers"));
    var key = params.text("api_key");
    var provider = draft.providers.get(name);
    if (provider != null) {
      if (key != null) {
        provider.keys.add(key);
      } else if (vendor.variable() != null) {
        provider.keys.add("${" + vendor.variable() + "}");
      }
    }
    return name;
  }

  /** Each deployment brings its own; here they hold for the provider, so they add up. */
  private void limits(Given params, String name) {
    var provider = draft.providers.get(name);
    for (var limit : List.of("rpm", "tpm")) {
      var value = params.number(limit);
      if (value != null && provider != null) {
        provider.limits.merge(
            limit,
            Long.toString(value.longValue()),
            (a, b) -> Long.toString(Long.parseLong(a) + Long.parseLong(b)));
      }
    }
  }

  private void router(Given settings, String path) {
    var strategy = settings.text("routing_strategy");
    boolean several = draft.models.values().stream().anyMatch(model -> model.targets.size() > 1);
    if (strategy != null || several && draft.balance.equals("order")) {
      draft.balance = balance(strategy == null ? "simple-shuffle" : strategy, path);
    }
    fallbacks(settings, "fallbacks", path);
    fallbacks(settings, "context_window_fallbacks", path);
    if (fallbacks(settings, "content_policy_fallbacks", path)) {
      draft.recovery.put("content-filter-fallback", "true");
    }
    if (settings.value("default_fallbacks") instanceof List<?> all) {
      for (var model : List.copyOf(draft.models.keySet())) {
        append(model, all, path + ".default_fallbacks");
      }
    }
    var retries = settings.number("num_retries");
    if (retries != null) {
      int attempts = Math.max(1, retries.intValue() + 1);
      draft.recovery.put("retry", "{ max-per-target: " + attempts + " }");
      if (attempts > 5) {
        draft.recovery.put("max-attempts", Integer.toString(attempts));
      }
    }
    var timeout = settings.number("timeout");
    timeout = timeout == null ? settings.number("request_timeout") : timeout;
    if (timeout != null) {
      draft.recovery.put("deadline", duration(timeout));
    }
    var first = settings.number("stream_timeout");
    if (first != null) {
      draft.recovery.put("timeouts", "{ first-token: " + duration(first) + " }");
    }
    var fails = settings.number("allowed_fails");
    var cooldown = settings.number("cooldown_time");
    if (fails != null || cooldown != null) {
      draft.note(
          path + (cooldown == null ? ".allowed_fails" : ".cooldown_time"),
          "breakers open by themselves and probe within 10 s; recovery.breaker changes that");
    }
    aliases(settings, path);
    settings.rest(path, ADVICE, draft);
  }

  private String balance(String strategy, String path) {
    return switch (strategy) {
      case "simple-shuffle", "weighted-pick" -> "weighted";
      case "least-busy" -> "least-busy";
      case "latency-based-routing" -> "fastest-first-token";
      default -> {
        draft.note(path + ".routing_strategy", strategy + " is least-busy here");
        yield "least-busy";
      }
    };
  }

  private boolean fallbacks(Given settings, String name, String path) {
    boolean any = false;
    if (settings.value(name) instanceof List<?> list) {
      for (var each : list) {
        if (each instanceof Map<?, ?> map) {
          for (var entry : map.entrySet()) {
            var to = entry.getValue() instanceof List<?> all ? all : List.of(entry.getValue());
            append(String.valueOf(entry.getKey()), to, path + "." + name);
            any = true;
          }
        }
      }
    }
    return any;
  }

  /** The targets of {@code to} stand last in the list of {@code model}'s. */
  private void append(String model, List<?> to, String path) {
    var mine = draft.models.get(model);
    if (mine == null) {
      draft.note(path, "there is no model " + model);
      return;
    }
    for (var other : to) {
      var theirs = draft.models.get(String.valueOf(other));
      if (theirs == null) {
        draft.note(path, "there is no model " + other);
      } else if (!model.equals(other)) {
        // A weight of 0 comes last, in the order of the list.
        for (var target : new LinkedHashSet<>(theirs.targets.keySet())) {
          mine.targets.putIfAbsent(target, 0);
        }
      }
    }
  }

  private void aliases(Given settings, String path) {
    for (var alias : settings.texts("model_group_alias").entrySet()) {
      var model = draft.models.get(alias.getValue());
      if (model == null) {
        draft.note(path + ".model_group_alias." + alias.getKey(), "it is not the name of a model");
      } else {
        draft.models.put(alias.getKey(), model);
      }
    }
  }

  private void general(Given settings) {
    var master = settings.text("master_key");
    if (master != null) {
      draft.adminToken = master;
      draft.clients.add("{ name: default, key: " + ConfigDraft.quoted(master) + " }");
    }
    if (settings.value("alerting") instanceof List<?> channels) {
      for (var channel : channels) {
        if ("slack".equals(channel)) {
          draft.alerts.put("slack", "{ url: \"${SLACK_WEBHOOK_URL}\" }");
        } else {
          draft.note("general_settings.alerting", channel + ": alerts.webhook posts to any URL");
        }
      }
    }
    settings.rest("general_settings", ADVICE, draft);
  }

  private static String duration(double seconds) {
    long millis = Math.round(seconds * 1000);
    return millis % 1000 == 0 ? millis / 1000 + "s" : String.format(Locale.ROOT, "%dms", millis);
  }

  /** What a file of LiteLLM's has and no other. */
  static boolean isOne(Given file) {
    return file.has("model_list") || file.has("litellm_settings") || file.has("router_settings");
  }
}
