package dev.mainstay.config;

import dev.mainstay.call.CallSettings;
import dev.mainstay.config.Config.Client;
import dev.mainstay.config.Config.Model;
import dev.mainstay.wire.money.Prices;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Turns the tree of one file into a {@link Config}; mistakes go to the shared reading. */
final class ConfigReader {
  private final Section.Reading reading;
  private final Section top;
  private final @Nullable Path folder;
  private final List<String> notices = new ArrayList<>();

  ConfigReader(Section.Reading reading, @Nullable Node root, @Nullable Path folder) {
    this.reading = reading;
    top = new Section(reading, "", root);
    this.folder = folder;
  }

  Config read() {
    var server = server(top.section("server"));
    var admin = top.section("admin");
    var token = admin.secret("token");
    if (!token.fitsHeader()) {
      admin.problem("token", "a token that no header can carry", Secret.HEADER);
    }
    admin.finish();
    if (token.isEmpty() && !isLoopback(server.host())) {
      reading.problem(
          admin.has("token") ? admin.lineOfKey("token") : top.section("server").lineOfKey("host"),
          "admin.token",
          "nothing, while server.host is " + server.host(),
          "a secret token");
    }
    var store = store(top.section("store"));
    var providers = new ProvidersReader(folder, notices);
    providers.read(top.section("providers"));
    if (providers.providers().isEmpty()) {
      notices.add("there is no provider with a key: nothing can be served");
    }
    var recovery =
        RecoveryReader.global(
            top.section("recovery"), withKeepAlive(CallSettings.defaults(), server));
    var models = new ModelsReader(providers, notices).read(top.section("models"), recovery.calls());
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
        store,
        providers.providers(),
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

  private static Config.Store store(Section section) {
    var defaults = Config.Store.DEFAULTS;
    var url = section.text("url", defaults.url());
    if (url.startsWith("jdbc:")) {
      section.problem(
          "url",
          "a database, which this version does not keep its ledger in yet",
          "a directory, for example " + defaults.url());
    }
    long maxKept = section.size("max-kept", defaults.maxKept());
    if (maxKept < RecordingReader.LEAST_BYTES) {
      section.problem("max-kept", maxKept + " bytes", "1MiB or more");
      maxKept = defaults.maxKept();
    }
    section.finish();
    return new Config.Store(url, maxKept);
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
        tls = new Config.Tls(path(folder, cert), path(folder, key));
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

  private static List<Client> clients(Section top, Map<String, Model> known, Prices prices) {
    var clients = new ArrayList<Client>();
    var names = new HashSet<String>();
    var keys = new HashSet<String>();
    for (var element : top.elements("clients")) {
      var section = element.section();
      var name = section.text("name", "");
      var key = section.secret("key");
      if (name.isEmpty() || !names.add(name)) {
        section.problem("name", name.isEmpty() ? "nothing" : "a name twice", "a name of its own");
      }
      if (key.isEmpty()) {
        section.problem("key", "nothing", "a key that is not empty");
      } else if (!key.fitsHeader()) {
        section.problem("key", "a key that no header can carry", Secret.HEADER);
      } else if (!keys.add(key.value())) {
        section.problem("key", "the key of another client", "a key of its own");
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

  /** A path from the file's own folder, where there is one. */
  static Path path(@Nullable Path folder, String text) {
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
