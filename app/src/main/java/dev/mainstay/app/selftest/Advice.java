package dev.mainstay.app.selftest;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.config.Config;
import dev.mainstay.core.classify.KindDefaults;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.recovery.RetryOn;
import dev.mainstay.core.verdict.Kind;
import java.util.ArrayList;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which settings would rescue a route from a fault. */
final class Advice {
  private static final String GO_ON = "recovery.mid-stream: continue";

  private Advice() {}

  /**
   * Null where nothing could.
   *
   * @param begun whether something of the answer had reached the client
   */
  static @Nullable String of(Trial trial, Config config, boolean begun) {
    var model = config.models().get(trial.route().model());
    CallSettings calls = model == null ? config.calls() : model.calls();
    var policy = calls.policy();
    var kind = trial.fault().kind();
    var settings = new ArrayList<String>();
    var repair = repair(kind);
    if (repair != null && !policy.repairs().contains(repair)) {
      settings.add("recovery.repairs: [" + repair.configName() + "]");
    }
    switch (kind) {
      // Any provider would refuse it.
      case "invalid_request", "tool_history_mismatch", "invalid_tool_schema" -> {}
      case "content_filter", "safety_refusal" -> {
        if (!policy.contentFilterFallback()) {
          settings.add("recovery.content-filter-fallback: true and a second target");
        }
      }
      case "auth", "billing", "quota_exhausted", "permission" -> {
        if (trial.route().keys() < 2) {
          settings.add("a second key for " + trial.route().first().provider());
        }
        target(trial, policy.fallback().on(), FallbackOn.ACCESS, settings);
      }
      case "region", "not_found_model", "not_found" ->
          target(trial, policy.fallback().on(), FallbackOn.ACCESS, settings);
      case "context_length", "payload_too_large", "unsupported_parameter" ->
          target(trial, policy.fallback().on(), FallbackOn.CONTEXT, settings);
      case "rate_limit", "overloaded" -> {
        retry(trial, policy.retry().on(), RetryOn.CAPACITY, settings);
        target(trial, policy.fallback().on(), FallbackOn.CAPACITY, settings);
      }
      default -> {
        boolean goesOn = begun && policy.midStream() == MidStream.ERROR;
        if (goesOn && anotherAttempt(trial, policy)) {
          return GO_ON;
        }
        retry(trial, policy.retry().on(), RetryOn.TRANSIENT, settings);
        target(trial, policy.fallback().on(), FallbackOn.AVAILABILITY, settings);
        if (goesOn) {
          // Alone it would not do: nothing may be asked to go on with the answer.
          return GO_ON + " and " + String.join(" or ", settings);
        }
      }
    }
    return settings.isEmpty() ? null : String.join(", or ", settings);
  }

  /** The repair of failures of {@code kind} that a configuration can allow, or null. */
  private static @Nullable RepairOption repair(String kind) {
    var repair = KindDefaults.of(Kind.of(kind)).repair();
    var option = repair == null ? null : RepairOption.of(repair);
    return option != null && option.isForClients() ? option : null;
  }

  private static boolean anotherAttempt(Trial trial, Policy policy) {
    return (!trial.lasting() && policy.retry().on().compareTo(RetryOn.TRANSIENT) >= 0)
        || (trial.route().targets().size() > 1
            && policy.fallback().on().compareTo(FallbackOn.AVAILABILITY) >= 0);
  }

  private static void retry(Trial trial, RetryOn on, RetryOn needed, ArrayList<String> settings) {
    if (!trial.lasting() && on.compareTo(needed) < 0) {
      settings.add("recovery.retry.on: " + lower(needed));
    }
  }

  private static void target(
      Trial trial, FallbackOn on, FallbackOn needed, ArrayList<String> settings) {
    if (trial.route().targets().size() < 2) {
      settings.add("a second target for " + trial.route().model());
    } else if (on.compareTo(needed) < 0) {
      settings.add("recovery.fallback.on: " + lower(needed));
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
