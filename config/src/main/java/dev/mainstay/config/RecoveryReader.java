package dev.mainstay.config;

import dev.mainstay.call.CallSettings;
import dev.mainstay.call.InFlight;
import dev.mainstay.call.Timeouts;
import dev.mainstay.call.ToolCalls;
import dev.mainstay.call.ToolSchemas;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.recovery.RetryOn;
import dev.mainstay.wire.translate.OnLoss;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads {@code recovery}, at the top of the file and in a model, where the top is the default. */
final class RecoveryReader {
  private static final Map<String, RetryOn> RETRY_ON =
      names(RetryOn.values(), value -> lower(value));
  private static final Map<String, FallbackOn> FALLBACK_ON =
      names(FallbackOn.values(), value -> lower(value));
  private static final Map<String, MidStream> MID_STREAM =
      names(MidStream.values(), value -> lower(value));
  private static final Map<String, ToolCalls> TOOL_CALLS =
      names(ToolCalls.values(), value -> lower(value));
  private static final Map<String, ToolSchemas> TOOL_SCHEMAS =
      names(ToolSchemas.values(), value -> lower(value));
  private static final Map<String, OnLoss> ON_LOSS = names(OnLoss.values(), value -> lower(value));

  /** The gateway never shortens a client's conversation, and its key pool fetches no tokens. */
  private static final Map<String, RepairOption> REPAIRS =
      names(
          Stream.of(RepairOption.values())
              .filter(
                  option ->
                      option != RepairOption.TRIM_CONTEXT
                          && option != RepairOption.REFRESH_CREDENTIALS)
              .toArray(RepairOption[]::new),
          RepairOption::configName);

  /** What the top section says beside what a model may say. */
  record Global(
      CallSettings calls, BreakerSettings breaker, double retryBudget, InFlight inFlight) {}

  private RecoveryReader() {}

  static Global global(Section section, CallSettings defaults) {
    var calls = calls(section, defaults);
    var breaker = breaker(section.section("breaker"));
    double budget = section.number("retry-budget", 0.2, 0, 100);
    var inFlight = inFlight(section.section("in-flight"));
    section.finish();
    return new Global(calls, breaker, budget, inFlight);
  }

  static CallSettings model(Section section, CallSettings defaults) {
    var calls = calls(section, defaults);
    for (var key : List.of("breaker", "retry-budget", "in-flight")) {
      section.leave(key);
      if (section.has(key)) {
        section.problem(key, "a setting of a target or provider", "in recovery at the top");
      }
    }
    section.finish();
    return calls;
  }

  private static CallSettings calls(Section section, CallSettings defaults) {
    var timeouts = timeouts(section.section("timeouts"), defaults.timeouts());
    var toolCalls = section.choice("tool-calls", TOOL_CALLS, defaults.toolCalls());
    var schemas = section.choice("tool-schemas", TOOL_SCHEMAS, defaults.toolSchemas());
    var onLoss = section.choice("translation-loss", ON_LOSS, defaults.onLoss());
    var policy = policy(section, defaults.policy());
    return new CallSettings(policy, timeouts, toolCalls, schemas, onLoss, defaults.keepAlive());
  }

  private static Policy policy(Section section, Policy base) {
    int attempts = section.integer("max-attempts", base.maxAttempts(), 1, 100);
    var deadline = section.duration("deadline", base.deadline());
    var retry = retry(section.section("retry"), base.retry());
    var fallback = section.section("fallback");
    var on = fallback.choice("on", FALLBACK_ON, base.fallback().on());
    fallback.finish();
    var midStream = section.choice("mid-stream", MID_STREAM, base.midStream());
    boolean filter = section.bool("content-filter-fallback", base.contentFilterFallback());
    var repairs = repairs(section, base.repairs());
    return checked(
        section,
        () ->
            new Policy(
                attempts,
                deadline,
                retry,
                new Policy.Fallback(on),
                midStream,
                repairs,
                filter,
                base.bounds()),
        base);
  }

  private static Policy.Retry retry(Section section, Policy.Retry base) {
    var on = section.choice("on", RETRY_ON, base.on());
    int perTarget = section.integer("max-per-target", base.maxPerTarget(), 1, 100);
    var initial = section.duration("initial-delay", base.initialDelay());
    double factor = section.number("factor", base.factor(), 1, 100);
    var most = section.duration("max-delay", base.maxDelay());
    boolean jitter = section.bool("jitter", base.jitter());
    var patience = section.duration("patience", base.patience());
    var obeyed = section.duration("max-retry-after", base.maxRetryAfter());
    section.finish();
    return checked(
        section,
        () -> new Policy.Retry(on, perTarget, initial, factor, most, jitter, patience, obeyed),
        base);
  }

  private static Set<RepairOption> repairs(Section section, Set<RepairOption> base) {
    if (!section.has("repairs")) {
      section.leave("repairs");
      return base;
    }
    var repairs = EnumSet.noneOf(RepairOption.class);
    for (var element : section.elements("repairs")) {
      var name = element.text();
      var option = name == null ? null : REPAIRS.get(name);
      if (option != null) {
        repairs.add(option);
      } else if (name != null) {
        element.problem("\"" + name + "\"", String.join(" | ", REPAIRS.keySet()));
      }
    }
    return repairs;
  }

  private static Timeouts timeouts(Section section, Timeouts base) {
    var connect = section.duration("connect", base.connect());
    var headers = section.has("headers") ? section.durationOrNull("headers") : base.headers();
    section.leave("headers");
    var firstToken = section.duration("first-token", base.firstToken());
    var idle = section.duration("idle", base.idle());
    section.finish();
    return checked(section, () -> new Timeouts(connect, headers, firstToken, idle), base);
  }

  private static BreakerSettings breaker(Section section) {
    var base = BreakerSettings.defaults();
    int consecutive =
        section.integer("consecutive-failures", base.consecutiveFailures(), 1, Integer.MAX_VALUE);
    double rate = section.number("failure-rate", base.failureRate(), 0, 1);
    int least = section.integer("of-at-least", base.ofAtLeast(), 1, Integer.MAX_VALUE);
    var within = section.duration("within", base.within());
    var open = section.duration("open", base.open());
    var maxOpen = section.duration("max-open", base.maxOpen());
    section.finish();
    return checked(
        section, () -> new BreakerSettings(consecutive, rate, least, within, open, maxOpen), base);
  }

  private static InFlight inFlight(Section section) {
    var base = InFlight.defaults();
    int perTarget = section.integer("per-target", base.perTarget(), 1, 1_000_000);
    int queue = section.integer("queue", base.queue(), 0, 1_000_000);
    var wait = section.duration("wait", base.maxWait());
    section.finish();
    return checked(section, () -> new InFlight(perTarget, queue, wait), base);
  }

  /** What {@code made} makes, or {@code otherwise} with the contradiction noted at its field. */
  private static <T> T checked(Section section, Supplier<T> made, T otherwise) {
    try {
      return made.get();
    } catch (InvalidPolicyException e) {
      int dot = e.field().lastIndexOf('.');
      section.problem(e.field().substring(dot + 1), e.reason(), "values that fit together");
      return otherwise;
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  private static <T> Map<String, T> names(T[] values, Function<T, String> name) {
    return Stream.of(values)
        .collect(Collectors.toMap(name, Function.identity(), (a, b) -> a, TreeMap::new));
  }
}
