package dev.mainstay.app.selftest;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.call.settings.Timeouts;
import dev.mainstay.config.Config;
import dev.mainstay.config.Model;
import dev.mainstay.config.ModelRecovery;
import dev.mainstay.config.Provider;
import dev.mainstay.config.Secret;
import dev.mainstay.config.Server;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.simulator.Fault;
import dev.mainstay.simulator.Faults;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.wire.Api;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One fault played to one route: a gateway with the user's configuration, a simulator in the place
 * of every provider.
 *
 * @param lasting whether the fault goes on for as long as the trial, rather than hitting once
 */
record Trial(TestedRoute route, Faults.Known fault, boolean lasting) {
  /** Silence is what lasts longer than this in a trial, whatever the configuration waits. */
  static final Duration SILENCE = Duration.ofMillis(700);

  private static final Duration FIRST_WAIT = Duration.ofMillis(50);
  private static final int FOR_EVER = 1000;

  /** What is about a key, and so goes away with another key. */
  private static final Set<String> OF_THE_KEY =
      Set.of("auth", "billing", "quota_exhausted", "permission");

  /** What lies in the request or at the account does not pass by itself. */
  private static final Set<String> PASSES =
      Set.of(
          "rate_limit",
          "overloaded",
          "server_error",
          "bad_gateway",
          "timeout",
          "connection_reset",
          "stream_interrupted",
          "stream_error_event",
          "truncated_json",
          "empty_response",
          "invalid_tool_call",
          "ok");

  /** Those of the catalogue that the first target of {@code route} can show. */
  static List<Trial> of(TestedRoute route, boolean lasting) {
    return Faults.of(route.api().label()).stream()
        .filter(fault -> !fault.kind().equals("ok"))
        .map(fault -> new Trial(route, fault, lasting || !PASSES.contains(fault.kind())))
        .toList();
  }

  /** Whether it can show in a stream alone. */
  boolean stream() {
    return switch (fault.step().fault()) {
      case Fault.Reply _, Fault.None _ -> false;
      default -> true;
    };
  }

  /** Plays it; what the same route answers when nothing goes wrong is asked first. */
  Outcome play(Config config, SelftestClient client) throws IOException, InterruptedException {
    var kept = new KeptCalls();
    try (var simulator = Simulator.start();
        var gateway = Gateway.start(replaced(config, simulator), kept, null)) {
      var address = "http://127.0.0.1:" + gateway.port();
      var good = client.ask(address, route.api(), route.model(), stream());
      kept.next();
      simulator.script(script());
      var seen = client.ask(address, route.api(), route.model(), stream());
      return Outcome.of(this, config, good, seen, kept.next());
    }
  }

  private Script script() {
    // What is about a key hits the first one that is asked with; the others are as they were.
    boolean once = !lasting || OF_THE_KEY.contains(fault.kind()) && route.keys() > 1;
    return Script.of(route.first().toString(), fault.step().times(once ? 1 : FOR_EVER));
  }

  private static String key(int number) {
    return "selftest-key-" + number;
  }

  /** The user's configuration, with simulated providers and nothing that is secret. */
  private static Config replaced(Config config, Simulator simulator) {
    var providers = new LinkedHashMap<String, Provider>();
    config
        .providers()
        .forEach(
            (name, provider) -> {
              var keys = new ArrayList<Secret>();
              for (int i = 1; i <= provider.keys().size(); i++) {
                keys.add(new Secret(key(i)));
              }
              var base = simulator.url() + "/" + name + (provider.api() == Api.OPENAI ? "/v1" : "");
              providers.put(
                  name,
                  new Provider(
                      name,
                      provider.api(),
                      URI.create(base),
                      keys,
                      Map.of(),
                      "none",
                      new Provider.Trust(null),
                      provider.vendor(),
                      RateLimits.NONE));
            });
    var models = new LinkedHashMap<String, Model>();
    config
        .models()
        .forEach(
            (name, model) ->
                models.put(
                    name,
                    new Model(
                        name,
                        model.targets(),
                        // The fault is played to the first target: it must be asked first.
                        Model.Balance.ORDER,
                        new ModelRecovery(null, shortened(model.calls())))));
    return config
        .withRoutes(providers, models, shortened(config.calls()))
        .withoutClients()
        .withServer(Server.DEFAULTS)
        .withPort(0);
  }

  private static CallSettings shortened(CallSettings calls) {
    var retry = calls.policy().retry();
    var first = least(retry.initialDelay(), FIRST_WAIT);
    Policy policy =
        calls
            .policy()
            .withRetry(retry.withDelays(first, retry.factor(), least(retry.maxDelay(), SILENCE)));
    return calls
        .withPolicy(policy)
        .withTimeouts(
            new Timeouts(
                calls.timeouts().connect(),
                SILENCE,
                least(calls.timeouts().firstToken(), SILENCE),
                least(calls.timeouts().idle(), SILENCE),
                calls.timeouts().stream()));
  }

  private static Duration least(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
