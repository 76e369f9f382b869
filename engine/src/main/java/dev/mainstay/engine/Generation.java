package dev.mainstay.engine;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.api.Peers;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.config.Config;
import dev.mainstay.config.Model;
import dev.mainstay.config.Provider;
import dev.mainstay.config.Secret;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.Loops;
import dev.mainstay.http.Proxy;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamOptions;
import dev.mainstay.wire.money.Prices;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One configuration at work. A request belongs to the generation in which it began; the clients of
 * an old one close when its last request has ended.
 */
public record Generation(
    Config config, Upstreams upstreams, Guards guards, Router router, Prices prices, Rules rules) {

  /**
   * Makes the generation of {@code config}.
   *
   * @param before the one it replaces, or null; of what is the same in both it keeps connections,
   *     breakers, places, key pools and retry budgets
   * @throws IllegalArgumentException when a provider's certificates cannot be read
   */
  static Generation of(
      Config config,
      @Nullable Generation before,
      Loops loops,
      Peers peers,
      Map<String, String> environment) {
    List<ProviderSpec> specs =
        config.providers().values().stream()
            .map(provider -> spec(provider, config, environment))
            .toList();
    var upstreams =
        Upstreams.create(
            specs,
            config.retryBudget(),
            options -> UpstreamClient.create(options, loops),
            peers,
            before == null ? null : before.upstreams);
    var guards =
        before == null
            ? new Guards(config.breaker(), config.inFlight())
            : before.guards.with(
                config.breaker(),
                config.inFlight(),
                provider -> upstreams.keeps(provider, before.upstreams));
    var own = config.ruleTexts();
    var rules = before != null && before.rules.same(own) ? before.rules : new Rules(own);
    return new Generation(
        config, upstreams, guards, new Router(config, guards), config.priceTable(), rules);
  }

  /** The longest that a model allows: connections are a provider's, and a call may allow less. */
  private static Duration connect(Config config) {
    return Stream.concat(
            Stream.of(config.calls()), config.models().values().stream().map(Model::calls))
        .map(calls -> calls.timeouts().connect())
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  private static ProviderSpec spec(
      Provider provider, Config config, Map<String, String> environment) {
    var proxy =
        provider.direct()
            ? Proxy.NONE
            : provider.proxy() != null
                ? Proxy.of(provider.proxy())
                : Proxy.fromEnvironment(environment);
    var options =
        UpstreamOptions.of(provider.baseUrl().toString())
            .withConnect(connect(config))
            .withProxy(proxy);
    var ca = provider.ca();
    return new ProviderSpec(
        provider.name(),
        provider.api(),
        provider.rulesName(),
        ca == null ? options : options.withCa(ca),
        provider.keys().stream().map(Secret::value).toList(),
        provider.headers(),
        provider.limits());
  }

  /**
   * Closes the breaker of {@code target} here and at the other gateways, for a person; false where
   * no call of this gateway has gone there.
   */
  public boolean resetBreaker(TargetId target) {
    boolean known = guards.reset(target);
    if (known) {
      upstreams.breakerReset(target);
    }
    return known;
  }
}
