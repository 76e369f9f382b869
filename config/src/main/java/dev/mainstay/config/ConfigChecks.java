package dev.mainstay.config;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Usage;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
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
    if (config.providers().isEmpty()) {
      notices.add("there is no provider with a key: nothing can be served");
    }
    clients(config);
    if (!config.agents().isEmpty()) {
      notices.add("agents is not acted on by this version");
    }
  }

  private void server(Config config) {
    var server = file.field("server");
    var token = file.field("admin").field("token");
    if (config.adminToken().isEmpty() && !isLoopback(config.server().host())) {
      token
          .at(token.absent() ? server.field("host") : token)
          .problem("nothing, while server.host is " + config.server().host(), "a secret token");
    }
    var tls = config.server().tls();
    if (tls != null && file.hasFolder()) {
      Pem.certificates(server.field("tls").field("cert"), tls.cert());
      Pem.privateKey(server.field("tls").field("key"), tls.key());
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
    var prices = Prices.shipped().with(config.priceRows());
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
  private static void priced(Config.Client client, YamlGiven at, Config config, Prices prices) {
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

  private static List<TargetId> targets(String name, Config config) {
    var model = config.models().get(name);
    if (model != null) {
      return model.targets().stream().map(Config.WeightedTarget::target).toList();
    }
    var target = target(name);
    return target == null ? List.of() : List.of(target);
  }

  private static @Nullable TargetId target(String name) {
    return new Types.Target().parse(name);
  }

  /** Names of models and agents that lead nowhere. */
  private static void known(Config.Client client, YamlGiven at, Config config) {
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
                "\"" + name + "\", which is no name of models and names no provider",
                Nearest.hint(name, config.models().keySet()));
      }
    }
    var agents = at.field("agents").elements();
    for (int i = 0; i < agents.size() && i < client.agents().size(); i++) {
      var name = client.agents().get(i);
      if (!config.agents().containsKey(name)) {
        agents
            .get(i)
            .doubt(
                "\"" + name + "\", which is no name of agents",
                Nearest.hint(name, config.agents().keySet()));
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
