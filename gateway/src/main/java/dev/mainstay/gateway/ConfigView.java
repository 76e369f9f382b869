package dev.mainstay.gateway;

import dev.mainstay.call.CallSettings;
import dev.mainstay.config.Alerts;
import dev.mainstay.config.Config;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.settings.DurationText;
import dev.mainstay.wire.money.PriceRow;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is in force, for {@code GET /api/config}: every setting under the name that it has in the
 * file, and written as there, with what the defaults filled in. No key, no token, no header's
 * value. {@code notices} beside them say what was left out.
 */
final class ConfigView {
  private static final String STARS = "***";

  private ConfigView() {}

  static Map<String, Object> of(Config config) {
    var map = new LinkedHashMap<String, Object>();
    map.put("server", server(config.server()));
    map.put("admin", Map.of("token", config.adminToken().isEmpty() ? "" : STARS));
    map.put("store", store(config.store()));
    map.put("providers", each(config.providers(), ConfigView::provider));
    map.put("models", each(config.models(), ConfigView::model));
    map.put("recovery", recovery(config));
    var idempotency = new LinkedHashMap<String, Object>();
    idempotency.put("window", text(config.idempotency().window()));
    idempotency.put("finish-when-client-leaves", config.idempotency().finishWhenClientLeaves());
    map.put("idempotency", idempotency);
    map.put("clients", config.clients().stream().map(ConfigView::client).toList());
    map.put("recording", recording(config.recording()));
    map.put("prices", config.prices().stream().map(ConfigView::price).toList());
    map.put("alerts", alerts(config.alerts()));
    map.put("notices", config.notices());
    return map;
  }

  private static <T> Map<String, Object> each(Map<String, T> from, Function<T, Object> view) {
    var map = new LinkedHashMap<String, Object>();
    from.forEach((name, value) -> map.put(name, view.apply(value)));
    return map;
  }

  private static Map<String, Object> server(Config.Server server) {
    var map = new LinkedHashMap<String, Object>();
    map.put("host", server.host());
    map.put("port", server.port());
    map.put("max-body", server.maxBody());
    map.put("drain", text(server.drain()));
    map.put("keep-alive", text(server.keepAlive()));
    map.put("compress-from", server.compressFrom());
    var tls = server.tls();
    map.put(
        "tls",
        tls == null ? null : Map.of("cert", tls.cert().toString(), "key", tls.key().toString()));
    return map;
  }

  private static Map<String, Object> provider(Config.Provider provider) {
    var map = new LinkedHashMap<String, Object>();
    map.put("dialect", provider.api().label());
    map.put("base-url", provider.baseUrl().toString());
    map.put("keys", provider.keys().stream().map(Object::toString).toList());
    var headers = new LinkedHashMap<String, Object>();
    provider.headers().keySet().stream().sorted().forEach(name -> headers.put(name, STARS));
    map.put("headers", headers);
    // A proxy's URL may hold a password.
    map.put("proxy", provider.direct() ? "none" : provider.proxy() == null ? null : STARS);
    var ca = provider.ca();
    map.put("tls", ca == null ? null : Map.of("ca", ca.toString()));
    return map;
  }

  private static Map<String, Object> model(Config.Model model) {
    var map = new LinkedHashMap<String, Object>();
    map.put("targets", model.targets().stream().map(ConfigView::target).toList());
    map.put("balance", lower(model.balance()));
    map.put("recovery", recovery(model.calls()));
    return map;
  }

  private static Map<String, Object> target(Config.WeightedTarget target) {
    var map = new LinkedHashMap<String, Object>();
    map.put("target", target.target().toString());
    map.put("weight", target.weight());
    return map;
  }

  private static Map<String, Object> recovery(Config config) {
    var map = recovery(config.calls());
    var breaker = new LinkedHashMap<String, Object>();
    breaker.put("consecutive-failures", config.breaker().consecutiveFailures());
    breaker.put("failure-rate", config.breaker().failureRate());
    breaker.put("of-at-least", config.breaker().ofAtLeast());
    breaker.put("within", text(config.breaker().within()));
    breaker.put("open", text(config.breaker().open()));
    breaker.put("max-open", text(config.breaker().maxOpen()));
    map.put("breaker", breaker);
    map.put("retry-budget", config.retryBudget());
    var inFlight = new LinkedHashMap<String, Object>();
    inFlight.put("per-target", config.inFlight().perTarget());
    inFlight.put("queue", config.inFlight().queue());
    inFlight.put("wait", text(config.inFlight().maxWait()));
    map.put("in-flight", inFlight);
    return map;
  }

  private static Map<String, Object> recovery(CallSettings calls) {
    var policy = calls.policy();
    var map = new LinkedHashMap<String, Object>();
    map.put("max-attempts", policy.maxAttempts());
    map.put("deadline", text(policy.deadline()));
    map.put("retry", retry(policy.retry()));
    map.put("fallback", Map.of("on", lower(policy.fallback().on())));
    var timeouts = new LinkedHashMap<String, Object>();
    timeouts.put("connect", text(calls.timeouts().connect()));
    timeouts.put("headers", text(calls.timeouts().headers()));
    timeouts.put("first-token", text(calls.timeouts().firstToken()));
    timeouts.put("idle", text(calls.timeouts().idle()));
    map.put("timeouts", timeouts);
    map.put("mid-stream", lower(policy.midStream()));
    map.put("tool-calls", lower(calls.toolCalls()));
    map.put("tool-schemas", lower(calls.toolSchemas()));
    map.put("translation-loss", lower(calls.onLoss()));
    map.put("repairs", policy.repairs().stream().map(RepairOption::configName).toList());
    map.put("content-filter-fallback", policy.contentFilterFallback());
    return map;
  }

  private static Map<String, Object> retry(Policy.Retry retry) {
    var map = new LinkedHashMap<String, Object>();
    map.put("on", lower(retry.on()));
    map.put("max-per-target", retry.maxPerTarget());
    map.put("initial-delay", text(retry.initialDelay()));
    map.put("factor", retry.factor());
    map.put("max-delay", text(retry.maxDelay()));
    map.put("jitter", retry.jitter());
    map.put("patience", text(retry.patience()));
    map.put("max-retry-after", text(retry.maxRetryAfter()));
    return map;
  }

  private static Map<String, Object> client(Config.Client client) {
    var map = new LinkedHashMap<String, Object>();
    map.put("name", client.name());
    map.put("key", client.key().toString());
    map.put("models", client.models());
    var limits = new LinkedHashMap<String, Object>();
    limits.put("rpm", client.rpm());
    limits.put("tpm", client.tpm());
    limits.put("parallel", client.parallel());
    map.put("limits", limits);
    var budget = client.budget();
    if (budget != null) {
      var view = new LinkedHashMap<String, Object>();
      view.put("usd", CallJson.usd(budget.nanos()));
      view.put("per", lower(budget.per()));
      map.put("budget", view);
    }
    var run = client.runNanos();
    if (run != null) {
      var view = new LinkedHashMap<String, Object>();
      view.put("usd", CallJson.usd(run));
      map.put("run-budget", view);
    }
    return map;
  }

  private static Map<String, Object> store(Config.Store store) {
    var map = new LinkedHashMap<String, Object>();
    map.put("url", store.url());
    map.put("max-kept", store.maxKept());
    return map;
  }

  private static Map<String, Object> recording(Config.Recording recording) {
    var map = new LinkedHashMap<String, Object>();
    map.put("bodies", recording.bodies());
    map.put("redact", recording.redact());
    map.put("retention", text(recording.retention()));
    map.put("max-bytes", recording.maxBytes());
    return map;
  }

  private static Map<String, Object> price(PriceRow row) {
    var map = new LinkedHashMap<String, Object>();
    map.put("model", row.model());
    map.put("unit", row.unit().wireName());
    map.put("price", plain(row.usdPerMillion()));
    map.put("from", row.from());
    map.put("above", row.above());
    map.put("source", row.source());
    return map;
  }

  private static Map<String, Object> alerts(Alerts alerts) {
    var map = new LinkedHashMap<String, Object>();
    var webhook = alerts.webhook();
    if (webhook != null) {
      // The path of a webhook is often its secret.
      var url = webhook.url().getScheme() + "://" + webhook.url().getAuthority() + "/" + STARS;
      map.put("webhook", Map.of("url", url, "secret", STARS));
    }
    map.put("throttle", text(alerts.throttle()));
    var spike = new LinkedHashMap<String, Object>();
    spike.put("factor", alerts.spike().factor());
    spike.put("at-least-usd", CallJson.usd(alerts.spike().atLeastNanos()));
    spike.put("window", text(alerts.spike().window()));
    map.put("cost-spike", spike);
    return map;
  }

  private static Json.Raw plain(BigDecimal number) {
    return new Json.Raw(number.toPlainString());
  }

  private static @Nullable String text(@Nullable Duration duration) {
    return duration == null ? null : DurationText.format(duration);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
