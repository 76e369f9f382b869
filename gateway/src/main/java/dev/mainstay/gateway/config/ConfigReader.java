package dev.mainstay.gateway.config;

import dev.mainstay.call.CallSettings;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.gateway.config.Config.Balance;
import dev.mainstay.gateway.config.Config.Client;
import dev.mainstay.gateway.config.Config.Model;
import dev.mainstay.gateway.config.Config.WeightedTarget;
import dev.mainstay.http.Proxy;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.money.Prices;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Turns the tree of one file into a {@link Config}; mistakes go to the shared reading. */
final class ConfigReader {
  private static final Map<String, Balance> BALANCES =
      Map.of(
          "order", Balance.ORDER,
          "weighted", Balance.WEIGHTED,
          "least-busy", Balance.LEAST_BUSY,
          "fastest-first-token", Balance.FASTEST_FIRST_TOKEN);

  private final Section top;
  private final @Nullable Path folder;
  private final List<String> notices = new ArrayList<>();
  private final Map<String, Config.Provider> providers = new LinkedHashMap<>();
  private final Set<String> disabled = new HashSet<>();

  ConfigReader(Section.Reading reading, @Nullable Node root, @Nullable Path folder) {
    top = new Section(reading, "", root);
    this.folder = folder;
  }

  Config read() {
    var server = server(top.section("server"));
    var admin = top.section("admin");
    var token = admin.secret("token");
    admin.finish();
    if (token.isEmpty() && !isLoopback(server.host())) {
      top.section("admin")
          .problem("token", "nothing, while server.host is " + server.host(), "a secret token");
    }
    var store = top.section("store");
    var url = store.text("url", Config.DEFAULT_STORE);
    if (url.startsWith("jdbc:")) {
      store.problem(
          "url",
          "a database, which this version does not keep its ledger in yet",
          "a directory, for example " + Config.DEFAULT_STORE);
    }
    store.finish();
    providers(top.section("providers"));
    var recovery =
        RecoveryReader.global(
            top.section("recovery"), withKeepAlive(CallSettings.defaults(), server));
    var models = models(top.section("models"), recovery.calls());
    var prices = MoneyReader.prices(top);
    var clients = clients(top, models, Prices.shipped().with(prices));
    var recording = RecordingReader.read(top.section("recording"));
    var idempotency = idempotency(top.section("idempotency"));
    var alerts = MoneyReader.alerts(top.section("alerts"));
    notYet(top, "agents");
    top.finish();
    return new Config(
        server,
        token,
        url,
        providers,
        models,
        recovery.calls(),
        recovery.breaker(),
        recovery.retryBudget(),
        recovery.inFlight(),
        clients,
        recording,
        idempotency,
        prices,
        alerts,
        notices);
  }

  /** Nobody is to believe that a budget or a redaction holds which nothing enforces. */
  private void notYet(Section section, String... keys) {
    section.leave(keys);
    for (var key : keys) {
      if (section.has(key)) {
        var path = section.path().isEmpty() ? key : section.path() + "." + key;
        notices.add(path + " is not acted on by this version");
      }
    }
  }

  private static CallSettings withKeepAlive(CallSettings calls, Config.Server server) {
    return calls.withKeepAlive(server.keepAlive());
  }

  private Config.Server server(Section section) {
    var defaults = Config.Server.DEFAULTS;
    var host = section.text("host", defaults.host());
    int port = section.integer("port", defaults.port(), 0, 65_535);
    long maxBody = section.size("max-body", defaults.maxBody());
    if (maxBody < 1 || maxBody > Integer.MAX_VALUE) {
      section.problem("max-body", maxBody + " bytes", "a size above 0 and below 2 GiB");
      maxBody = defaults.maxBody();
    }
    var drain = section.duration("drain", defaults.drain());
    var keepAlive = section.duration("keep-alive", defaults.keepAlive());
    if (!keepAlive.isPositive()) {
      section.problem("keep-alive", "\"0\"", "a duration above 0");
      keepAlive = defaults.keepAlive();
    }
    long compressFrom = section.size("compress-from", defaults.compressFrom());
    if (compressFrom > Integer.MAX_VALUE) {
      section.problem("compress-from", "\"" + compressFrom + "\"", "a size below 2 GiB");
      compressFrom = defaults.compressFrom();
    }
    Config.Tls tls = null;
    if (section.has("tls")) {
      var files = section.section("tls");
      var cert = files.textOrNull("cert");
      var key = files.textOrNull("key");
      if (cert == null || key == null) {
        section.problem("tls", "only one of cert and key", "both, paths of PEM files");
      } else {
        tls = new Config.Tls(path(cert), path(key));
        if (folder != null) {
          Pem.certificates(files, "cert", tls.cert());
          Pem.privateKey(files, "key", tls.key());
        }
      }
      files.finish();
    }
    section.leave("tls");
    section.finish();
    return new Config.Server(host, port, maxBody, drain, keepAlive, (int) compressFrom, tls);
  }

  private void providers(Section section) {
    for (var name : section.keys()) {
      if (name.isEmpty() || name.indexOf('/') >= 0) {
        section.problem(name, "\"" + name + "\"", "a name without \"/\"");
        section.leave(name);
        continue;
      }
      var provider = provider(name, section.section(name));
      if (provider != null) {
        providers.put(name, provider);
      }
    }
  }

  private Config.@Nullable Provider provider(String name, Section section) {
    var dialects = new LinkedHashMap<String, Api>();
    for (var api : Api.values()) {
      dialects.put(api.label(), api);
    }
    if (!section.has("dialect")) {
      section.problem("dialect", "nothing", String.join(" | ", dialects.keySet()));
    }
    var api = section.choice("dialect", dialects, Api.OPENAI);
    var baseUrl = baseUrl(section, "base-url");
    var keys = new ArrayList<Secret>();
    var seen = new HashSet<String>();
    var elements = section.elements("keys");
    int number = 0;
    for (var element : elements) {
      number++;
      var key = element.text();
      if (key == null) {
        continue;
      }
      if (key.isBlank()) {
        notices.add("provider " + name + ": key " + number + " is empty and was left out");
      } else if (seen.add(key.strip())) {
        keys.add(new Secret(key.strip()));
      }
    }
    var headers = new HashMap<String, String>();
    var given = section.section("headers");
    for (var header : List.copyOf(given.keys())) {
      headers.put(header.toLowerCase(Locale.ROOT), given.text(header, ""));
    }
    var proxy = section.textOrNull("proxy");
    if (proxy != null && !proxy.equals("none") && !isProxy(proxy)) {
      section.problem("proxy", "what is no such URL", "none, or the URL of an http proxy");
      proxy = null;
    }
    var tls = section.section("tls");
    var ca = tls.textOrNull("ca");
    if (ca != null && folder != null) {
      Pem.certificates(tls, "ca", path(ca));
    }
    tls.finish();
    section.finish();
    if (!elements.isEmpty() && keys.isEmpty()) {
      notices.add("provider " + name + " has no key left and is disabled");
      disabled.add(name);
      return null;
    }
    return baseUrl == null
        ? null
        : new Config.Provider(
            name,
            api,
            baseUrl,
            keys,
            headers,
            "none".equals(proxy),
            "none".equals(proxy) ? null : proxy,
            ca == null ? null : path(ca));
  }

  private static boolean isProxy(String text) {
    try {
      Proxy.of(text);
      return true;
    } catch (IllegalArgumentException e) {
      // Its words may hold the proxy's password.
      return false;
    }
  }

  private static @Nullable URI baseUrl(Section section, String key) {
    var text = section.textOrNull(key);
    var allowed = "an http or https URL without user, query or fragment";
    if (text == null || text.isBlank()) {
      section.problem(key, "nothing", allowed);
      return null;
    }
    var url = url(text);
    if (url == null) {
      section.problem(key, "what is no such URL", allowed);
    }
    return url;
  }

  static @Nullable URI url(String text) {
    try {
      var url = URI.create(text.strip());
      boolean good =
          ("http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme()))
              && url.getHost() != null
              && url.getRawUserInfo() == null
              && url.getRawQuery() == null
              && url.getRawFragment() == null;
      return good ? url : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private Map<String, Model> models(Section section, CallSettings defaults) {
    var models = new LinkedHashMap<String, Model>();
    for (var name : section.keys()) {
      var entry = section.section(name);
      var calls = RecoveryReader.model(entry.section("recovery"), defaults);
      var balance = entry.choice("balance", BALANCES, Balance.ORDER);
      var targets = targets(name, entry);
      entry.finish();
      if (targets.isEmpty()) {
        continue;
      }
      if (calls.policy().maxAttempts() < targets.size()
          && calls.policy().fallback().on() != FallbackOn.OFF) {
        entry.problem(
            "targets",
            targets.size() + " targets with max-attempts " + calls.policy().maxAttempts(),
            "at least as many attempts as targets");
      }
      models.put(name, new Model(name, targets, balance, calls));
    }
    return models;
  }

  private List<WeightedTarget> targets(String model, Section entry) {
    var targets = new ArrayList<WeightedTarget>();
    var seen = new HashSet<TargetId>();
    var elements = entry.elements("targets");
    if (elements.isEmpty()) {
      entry.problem("targets", "nothing", "a list of provider/model");
    }
    Config.Provider first = null;
    for (var element : elements) {
      int weight = 1;
      String text;
      if (element.isMapping()) {
        var section = element.section();
        text = section.text("target", "");
        weight = section.integer("weight", 1, 0, 1_000_000);
        section.finish();
      } else {
        text = element.text();
      }
      if (text == null) {
        continue;
      }
      int slash = text.indexOf('/');
      if (slash <= 0 || slash == text.length() - 1) {
        element.problem("\"" + text + "\"", "provider/model");
        continue;
      }
      var target = new TargetId(text.substring(0, slash), text.substring(slash + 1));
      var provider = providers.get(target.provider());
      if (disabled.contains(target.provider())) {
        notices.add("model " + model + ": " + target + " was left out, its provider is disabled");
        continue;
      }
      if (provider == null) {
        element.problem(
            "the provider \"" + target.provider() + "\"",
            providers.isEmpty()
                ? "a provider under providers; all of them are disabled, as they have no key"
                : "one of " + String.join(" | ", providers.keySet()));
        continue;
      }
      if (!seen.add(target)) {
        element.problem("\"" + text + "\" a second time", "each target once");
        continue;
      }
      targets.add(new WeightedTarget(target, weight));
    }
    return targets;
  }

  private static List<Client> clients(Section top, Map<String, Model> known, Prices prices) {
    var clients = new ArrayList<Client>();
    var names = new HashSet<String>();
    for (var element : top.elements("clients")) {
      var section = element.section();
      var name = section.text("name", "");
      var key = section.secret("key");
      if (name.isEmpty() || !names.add(name)) {
        section.problem("name", name.isEmpty() ? "nothing" : "a name twice", "a name of its own");
      }
      if (key.isEmpty()) {
        section.problem("key", "nothing", "a key that is not empty");
      }
      var models = new ArrayList<String>();
      for (var model : section.elements("models")) {
        var text = model.text();
        if (text != null) {
          models.add(text);
        }
      }
      var limits = section.section("limits");
      var client =
          new Client(
              name,
              key,
              models,
              limits.integerOrNull("rpm"),
              limits.integerOrNull("tpm"),
              limits.integerOrNull("parallel"),
              MoneyReader.budget(section),
              MoneyReader.runBudget(section));
      limits.finish();
      if (client.budget() != null || client.runNanos() != null) {
        MoneyReader.priced(section, models, known, prices);
      }
      section.finish();
      clients.add(client);
    }
    return clients;
  }

  private static Config.Idempotency idempotency(Section section) {
    var defaults = Config.Idempotency.DEFAULTS;
    var window = section.duration("window", defaults.window());
    if (!window.isPositive()) {
      section.problem("window", "\"0\"", "a duration above 0");
      window = defaults.window();
    }
    boolean finish = section.bool("finish-when-client-leaves", defaults.finishWhenClientLeaves());
    section.finish();
    return new Config.Idempotency(window, finish);
  }

  private Path path(String text) {
    var path = Path.of(text);
    return folder == null || path.isAbsolute() ? path : folder.resolve(path);
  }

  static boolean isLoopback(String host) {
    if (host.equals("localhost")) {
      return true;
    }
    // Only a literal address: a name would be looked up, and may change.
    boolean literal =
        host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    try {
      return literal && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
