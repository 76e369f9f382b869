package dev.mainstay.config.migrate;

import dev.mainstay.wire.json.JsonStrings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A configuration of Mainstay's in the making, and what found no place in it. */
final class ConfigDraft {
  /** A provider: an address, with all keys that were given for it. */
  static final class Provider {
    final String dialect;
    final String baseUrl;
    final Map<String, String> headers;
    final Set<String> keys = new LinkedHashSet<>();
    final Map<String, String> limits = new LinkedHashMap<>();
    final @Nullable String vendor;

    Provider(String dialect, String baseUrl, Map<String, String> headers, @Nullable String vendor) {
      this.dialect = dialect;
      this.baseUrl = baseUrl;
      this.headers = headers;
      this.vendor = vendor;
    }
  }

  /** A model: its targets with their weights, in order; fallbacks have the weight 0. */
  static final class Model {
    final Map<String, Integer> targets = new LinkedHashMap<>();
    final Map<String, String> recovery = new LinkedHashMap<>();

    /** How many targets share the load; the others take over from them. */
    long sharing() {
      return targets.values().stream().filter(weight -> weight > 0).count();
    }
  }

  final Map<String, Provider> providers = new LinkedHashMap<>();
  final Map<String, Model> models = new LinkedHashMap<>();
  final Map<String, String> recovery = new LinkedHashMap<>();
  final Map<String, String> alerts = new LinkedHashMap<>();
  final List<String> clients = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  @Nullable String adminToken;
  String balance = "order";

  /** Says that {@code path} has no counterpart here, and what to do instead. */
  void note(String path, String advice) {
    notes.add(path + ": " + advice);
  }

  /** The name of the provider at {@code baseUrl}, which is added where there is none yet. */
  String provider(String vendor, String dialect, String baseUrl, Map<String, String> headers) {
    for (var known : providers.entrySet()) {
      var provider = known.getValue();
      if (provider.baseUrl.equals(baseUrl)
          && provider.dialect.equals(dialect)
          && provider.headers.equals(headers)) {
        return known.getKey();
      }
    }
    var name = vendor.replace('_', '-');
    for (int i = 2; providers.containsKey(name); i++) {
      name = vendor.replace('_', '-') + "-" + i;
    }
    providers.put(name, new Provider(dialect, baseUrl, headers, null));
    return name;
  }

  /** The file, with what was not imported as comments at its end. */
  String yaml(String source) {
    var out = new StringBuilder(2048);
    out.append("# Imported from ").append(source.replaceAll("[\\r\\n]", " "));
    out.append(". Check it: ./mainstay config check --strict FILE\n");
    if (adminToken != null) {
      out.append("admin: { token: ").append(quoted(adminToken)).append(" }\n");
    }
    out.append("providers:\n");
    providers.forEach((name, provider) -> append(out, name, provider));
    models.values().removeIf(model -> model.targets.isEmpty());
    if (!models.isEmpty()) {
      out.append("models:\n");
      models.forEach((name, model) -> append(out, name, model));
    }
    section(out, "recovery", recovery());
    if (!clients.isEmpty()) {
      out.append("clients:\n");
      clients.forEach(client -> out.append("  - ").append(client).append('\n'));
    }
    section(out, "alerts", alerts);
    if (!notes.isEmpty()) {
      out.append("\n# Not imported:\n");
      notes.forEach(note -> out.append("# ").append(note.replaceAll("\\R", " ")).append('\n'));
    }
    return out.toString();
  }

  /** Every target must get its attempt. */
  private Map<String, String> recovery() {
    int most = 0;
    for (var model : models.values()) {
      most = Math.max(most, model.targets.size());
    }
    var all = new LinkedHashMap<String, String>();
    if (most > 5) {
      all.put("max-attempts", Integer.toString(most));
    }
    all.putAll(recovery);
    return all;
  }

  private static void append(StringBuilder out, String name, Provider provider) {
    out.append("  ").append(quoted(name)).append(":\n");
    out.append("    dialect: ").append(provider.dialect).append('\n');
    out.append("    base-url: ").append(quoted(provider.baseUrl)).append('\n');
    if (!provider.keys.isEmpty()) {
      out.append("    keys: [");
      out.append(String.join(", ", provider.keys.stream().map(ConfigDraft::quoted).toList()));
      out.append("]\n");
    }
    if (!provider.headers.isEmpty()) {
      out.append("    headers: ").append(flow(provider.headers, true)).append('\n');
    }
    if (!provider.limits.isEmpty()) {
      out.append("    limits: ").append(flow(provider.limits, false)).append('\n');
    }
  }

  private void append(StringBuilder out, String name, Model model) {
    out.append("  ").append(quoted(name)).append(":\n    targets:\n");
    boolean balanced = !balance.equals("order") && model.sharing() > 1;
    model.targets.forEach(
        (target, weight) -> {
          out.append("      - ");
          out.append(
              balanced && (weight == 0 || balance.equals("weighted"))
                  ? "{ target: " + quoted(target) + ", weight: " + weight + " }"
                  : quoted(target));
          out.append('\n');
        });
    if (balanced) {
      out.append("    balance: ").append(balance).append('\n');
    }
    if (!model.recovery.isEmpty()) {
      out.append("    recovery: ").append(flow(model.recovery, false)).append('\n');
    }
  }

  private static void section(StringBuilder out, String name, Map<String, String> values) {
    if (!values.isEmpty()) {
      out.append(name).append(":\n");
      values.forEach((key, value) -> out.append("  " + key + ": " + value + "\n"));
    }
  }

  private static String flow(Map<String, String> values, boolean text) {
    var parts = new ArrayList<String>();
    values.forEach(
        (key, value) ->
            parts.add((text ? quoted(key) : key) + ": " + (text ? quoted(value) : value)));
    return "{ " + String.join(", ", parts) + " }";
  }

  /** A JSON string is a YAML string too. */
  static String quoted(String text) {
    return JsonStrings.append(new StringBuilder(), text).toString();
  }
}
