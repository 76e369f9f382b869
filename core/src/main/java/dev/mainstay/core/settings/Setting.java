package dev.mainstay.core.settings;

import dev.mainstay.core.recovery.RepairOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One setting: its name as in the configuration, and how it is read and shown.
 *
 * @param name for example {@code retry.max-delay}
 * @param show its value in a draft, as text that {@code read} takes
 * @param read sets it from text; throws {@link IllegalArgumentException} with what is allowed
 */
record Setting(String name, Function<Draft, String> show, BiConsumer<Draft, String> read) {

  static final List<Setting> ALL =
      List.of(
          whole("max-attempts", d -> d.maxAttempts, (d, v) -> d.maxAttempts = v),
          duration("deadline", d -> d.deadline, (d, v) -> d.deadline = v),
          oneOf("retry.on", d -> d.retryOn, (d, v) -> d.retryOn = v),
          whole("retry.max-per-target", d -> d.maxPerTarget, (d, v) -> d.maxPerTarget = v),
          duration("retry.initial-delay", d -> d.initialDelay, (d, v) -> d.initialDelay = v),
          number("retry.factor", d -> d.factor, (d, v) -> d.factor = v),
          duration("retry.max-delay", d -> d.maxDelay, (d, v) -> d.maxDelay = v),
          yesOrNo("retry.jitter", d -> d.jitter, (d, v) -> d.jitter = v),
          duration("retry.patience", d -> d.patience, (d, v) -> d.patience = v),
          duration("retry.max-retry-after", d -> d.maxRetryAfter, (d, v) -> d.maxRetryAfter = v),
          oneOf("fallback.on", d -> d.fallbackOn, (d, v) -> d.fallbackOn = v),
          oneOf("mid-stream", d -> d.midStream, (d, v) -> d.midStream = v),
          new Setting("repairs", d -> repairs(d.repairs), (d, v) -> d.repairs = repairs(v)),
          yesOrNo(
              "content-filter-fallback",
              d -> d.contentFilterFallback,
              (d, v) -> d.contentFilterFallback = v),
          whole("bounds.stream-restarts", d -> d.streamRestarts, (d, v) -> d.streamRestarts = v),
          whole("bounds.repairs-each", d -> d.repairsEach, (d, v) -> d.repairsEach = v),
          whole("bounds.image-strips", d -> d.imageStrips, (d, v) -> d.imageStrips = v),
          whole("bounds.compactions", d -> d.compactions, (d, v) -> d.compactions = v),
          whole("bounds.client-refreshes", d -> d.clientRefreshes, (d, v) -> d.clientRefreshes = v),
          whole("bounds.refusals", d -> d.refusals, (d, v) -> d.refusals = v),
          whole(
              "breaker.consecutive-failures",
              d -> d.consecutiveFailures,
              (d, v) -> d.consecutiveFailures = v),
          number("breaker.failure-rate", d -> d.failureRate, (d, v) -> d.failureRate = v),
          whole("breaker.of-at-least", d -> d.ofAtLeast, (d, v) -> d.ofAtLeast = v),
          duration("breaker.within", d -> d.within, (d, v) -> d.within = v),
          duration("breaker.open", d -> d.open, (d, v) -> d.open = v),
          duration("breaker.max-open", d -> d.maxOpen, (d, v) -> d.maxOpen = v),
          number("retry-budget", d -> d.retryBudget, (d, v) -> d.retryBudget = v));

  /** The variable it is read from, for example {@code MAINSTAY_RETRY_MAX_DELAY}. */
  String variable() {
    return variable(name);
  }

  static String variable(String name) {
    return "MAINSTAY_" + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  private static Setting whole(
      String name, Function<Draft, Integer> get, BiConsumer<Draft, Integer> set) {
    return of(
        name, get, set, String::valueOf, text -> number(text, Integer::valueOf, "a whole number"));
  }

  private static Setting number(
      String name, Function<Draft, Double> get, BiConsumer<Draft, Double> set) {
    return of(name, get, set, String::valueOf, text -> number(text, Double::valueOf, "a number"));
  }

  private static Setting duration(
      String name, Function<Draft, Duration> get, BiConsumer<Draft, Duration> set) {
    return of(name, get, set, DurationText::format, DurationText::parse);
  }

  private static Setting yesOrNo(
      String name, Function<Draft, Boolean> get, BiConsumer<Draft, Boolean> set) {
    return of(
        name,
        get,
        set,
        String::valueOf,
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> true;
              case "false" -> false;
              default -> throw found(text, "true or false");
            });
  }

  private static <E extends Enum<E>> Setting oneOf(
      String name, Function<Draft, E> get, BiConsumer<Draft, E> set) {
    return new Setting(
        name,
        draft -> lower(get.apply(draft)),
        (draft, text) -> set.accept(draft, one(get.apply(draft).getDeclaringClass(), text)));
  }

  private static <T> Setting of(
      String name,
      Function<Draft, T> get,
      BiConsumer<Draft, T> set,
      Function<T, String> show,
      Function<String, T> read) {
    return new Setting(
        name,
        draft -> show.apply(get.apply(draft)),
        (draft, text) -> set.accept(draft, read.apply(text.strip())));
  }

  static <E extends Enum<E>> E one(Class<E> type, String text) {
    E[] all = type.getEnumConstants();
    for (E candidate : all) {
      if (lower(candidate).equalsIgnoreCase(text.strip())) {
        return candidate;
      }
    }
    throw found(
        text, "one of " + Arrays.stream(all).map(Setting::lower).collect(Collectors.joining(", ")));
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static <T> T number(String text, Function<String, T> read, String what) {
    try {
      return read.apply(text);
    } catch (NumberFormatException e) {
      throw found(text, what);
    }
  }

  private static String repairs(Set<RepairOption> repairs) {
    return repairs.isEmpty()
        ? "none"
        : repairs.stream().map(RepairOption::configName).collect(Collectors.joining(","));
  }

  private static Set<RepairOption> repairs(String text) {
    var all = EnumSet.noneOf(RepairOption.class);
    if (!text.strip().equals("none")) {
      for (var name : text.split(",", -1)) {
        all.add(one(RepairOption.class, name));
      }
    }
    return all;
  }

  private static IllegalArgumentException found(String text, String allowed) {
    return new IllegalArgumentException("\"" + text + "\" is not " + allowed);
  }
}
