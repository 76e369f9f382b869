package dev.mainstay.config;

import dev.mainstay.call.upstream.BaseUrls;
import dev.mainstay.core.classify.RuleTable;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.settings.Dollars;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Usage;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What only the whole of a configuration shows to be a mistake. */
final class ConfigChecks {
  private final YamlGiven file;
  private final List<String> notices;

  ConfigChecks(YamlGiven file, List<String> notices) {
    this.file = file;
    this.notices = notices;
  }

  void check(Config config) {
    server(config);
    baseUrls(config);
    rules(config);
    unpriced(config);
    clients(config);
    new AgentChecks(file, config, notices).check();
    agentBudgets(config);
  }

  private void server(Config config) {
    var server = file.field("server");
    var token = file.field("admin").field("token");
    accounts(config);
    if (!config.admin().isGuarded() && !isLoopback(config.server().host())) {
      token
          .at(token.absent() ? server.field("host") : token)
          .problem("no token, while server.host is " + config.server().host(), "a secret token");
    }
    var tls = config.server().tls();
    if (tls != null && file.hasFolder()) {
      Pem.certificates(server.field("tls").field("cert"), tls.cert());
      Pem.privateKey(server.field("tls").field("key"), tls.key());
    }
  }

  private void accounts(Config config) {
    var names = new TreeSet<String>();
    var given = file.field("admin").field("accounts").elements();
    var accounts = config.admin().accounts();
    for (int i = 0; i < given.size() && i < accounts.size(); i++) {
      var name = accounts.get(i).name();
      if (!names.add(name)) {
        given.get(i).field("name").problem("a second account " + name, "a name of its own");
      }
    }
  }

  private void rules(Config config) {
    var given = file.field("rules").elements();
    for (int i = 0; file.hasFolder() && i < given.size() && i < config.rules().size(); i++) {
      try {
        var path = config.rules().get(i);
        var unused = RuleTable.parse(path.toString(), Config.text(path));
      } catch (IllegalArgumentException e) {
        given.get(i).problem(String.valueOf(e.getMessage()), "a file of rules (docs/failures.md)");
      }
    }
  }

  /** Says of which targets no price is known, but of those on this machine. */
  private void unpriced(Config config) {
    var prices = config.priceTable();
    var today = LocalDate.now(ZoneOffset.UTC);
    var unknown = new TreeSet<String>();
    for (var model : config.models().values()) {
      for (var each : model.targets()) {
        var target = each.target();
        var provider = config.providers().get(target.provider());
        if (provider != null
            && !isLoopback(String.valueOf(provider.baseUrl().getHost()))
            && !prices.known(target.provider(), target.model(), today)) {
          unknown.add(target.toString());
        }
      }
    }
    if (!unknown.isEmpty()) {
      notices.add(
          "Mainstay knows no price of %s and does not count their cost; add rows to prices, or name the vendor"
              .formatted(String.join(", ", unknown)));
    }
  }

  private void baseUrls(Config config) {
    for (var provider : config.providers().values()) {
      var wrong = BaseUrls.wrong(provider.api(), provider.baseUrl());
      if (wrong != null) {
        file.field("providers")
            .field(provider.name())
            .field("base-url")
            .doubt(wrong.found(), wrong.allowed());
      }
    }
  }

  private void clients(Config config) {
    var given = file.field("clients").elements();
    if (given.size() != config.clients().size()) {
      // Some were mistaken, and are noted; which place the others have is not known.
      return;
    }
    var names = new HashSet<String>();
    var keys = new HashSet<String>();
    var prices = config.priceTable();
    for (int i = 0; i < given.size(); i++) {
      var client = config.clients().get(i);
      var at = given.get(i);
      if (!names.add(client.name())) {
        at.field("name").problem("a name twice", "a name of its own");
      }
      if (!keys.add(client.key().value())) {
        at.field("key").problem("the key of another client", "a key of its own");
      }
      if (client.budget() != null || client.runBudget() != null) {
        priced(client, at, config, prices);
      }
      known(client, at, config);
    }
  }

  /** A budget in money cannot be kept where a price is unknown. */
  private static void priced(Client client, YamlGiven at, Config config, Prices prices) {
    var key = client.budget() != null ? "budget" : "run-budget";
    var today = LocalDate.now(ZoneOffset.UTC);
    var both = new Usage(1, 0, 0, 1, 0, false);
    for (var name : client.models().isEmpty() ? config.models().keySet() : client.models()) {
      for (var target : targets(name, config)) {
        if (prices.nanos(target.provider(), target.model(), today, both) == null) {
          at.field(key)
              .problem(
                  "a budget in money, while the price of " + target + " is unknown",
                  "models with a price; add rows to prices");
        }
      }
    }
  }

  /** A default budget counts what is known; one that somebody set must count everything. */
  private void agentBudgets(Config config) {
    var prices = config.priceTable();
    var today = LocalDate.now(ZoneOffset.UTC);
    for (var agent : config.agents().values()) {
      var at = file.field("agents").field(agent.name()).field("budget").field("usd");
      var usd = at.absent() ? null : Dollars.decimal(String.valueOf(at.text()));
      if (usd == null || usd.signum() <= 0) {
        continue;
      }
      for (var target : targets(agent.model(), config)) {
        if (!prices.known(target.provider(), target.model(), today)) {
          at.problem(
              "a budget in money, while the price of " + target + " is unknown",
              "a model with a price; add rows to prices");
        }
      }
    }
  }

  private static List<TargetId> targets(String name, Config config) {
    var model = config.models().get(name);
    if (model != null) {
      return model.targets().stream().map(Model.WeightedTarget::target).toList();
    }
    var target = target(name);
    return target == null ? List.of() : List.of(target);
  }

  private static @Nullable TargetId target(String name) {
    return new ConfigTypes.Target().parse(name);
  }

  /** Names of models and agents that lead nowhere. */
  private static void known(Client client, YamlGiven at, Config config) {
    var models = at.field("models").elements();
    for (int i = 0; i < models.size() && i < client.models().size(); i++) {
      var name = client.models().get(i);
      var target = target(name);
      boolean leads =
          config.models().containsKey(name)
              || (target != null && config.providers().containsKey(target.provider()));
      if (!leads) {
        models
            .get(i)
            .doubt(
                "\"" + name + "\", which is not a name of models or of a provider",
                "provider/model, or " + NearestName.hint(name, config.models().keySet()));
      }
    }
    var agents = at.field("agents").elements();
    for (int i = 0; i < agents.size() && i < client.agents().size(); i++) {
      var name = client.agents().get(i);
      if (!config.agents().containsKey(name)) {
        agents
            .get(i)
            .doubt(
                "\"" + name + "\", which is not a name of agents",
                NearestName.hint(name, config.agents().keySet()));
      }
    }
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
