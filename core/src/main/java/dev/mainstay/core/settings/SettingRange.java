package dev.mainstay.core.settings;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * From the least to the greatest value of a setting, each as declared; "" where it has none.
 * Immutable.
 */
public final class SettingRange {
  /** 71 years: for people "for ever", and as nanoseconds short enough to add to any clock. */
  private static final Duration LONGEST = Duration.ofDays(26_000);

  static final SettingRange NONE = new SettingRange("", null, "", null);

  private final String leastText;
  private final @Nullable Comparable<Object> least;
  private final String mostText;
  private final @Nullable Comparable<Object> most;

  private SettingRange(
      String leastText,
      @Nullable Comparable<Object> least,
      String mostText,
      @Nullable Comparable<Object> most) {
    this.leastText = leastText;
    this.least = least;
    this.mostText = mostText;
    this.most = most;
  }

  static SettingRange of(Setting setting, ValueType<?> type) {
    var least = setting.least().equals(Setting.NONE) ? "" : setting.least();
    var most = setting.most().equals(Setting.NONE) ? "" : setting.most();
    return least.isEmpty() && most.isEmpty()
        ? NONE
        : new SettingRange(least, bound(least, type), most, bound(most, type));
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Comparable<Object> bound(String text, ValueType<?> type) {
    return text.isEmpty()
        ? null
        : (Comparable<Object>) Objects.requireNonNull(type.parse(text), text);
  }

  /** Why {@code value} is outside, in words, or null where it is inside. */
  @Nullable String problem(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      return number + " is not a finite number";
    }
    if (value instanceof Duration duration && duration.isNegative()) {
      return "must not be negative";
    }
    if (value instanceof Duration duration && duration.compareTo(LONGEST) > 0) {
      return duration.toDays() + " days is longer than " + LONGEST.toDays();
    }
    if (least != null && least.compareTo(value) > 0) {
      return text(value) + " is less than " + leastText;
    }
    if (most != null && most.compareTo(value) < 0) {
      return text(value) + " is more than " + mostText;
    }
    return null;
  }

  private static String text(Object value) {
    return value instanceof Duration duration ? DurationText.format(duration) : value.toString();
  }

  /** In words, for example {@code from 1 to 100}; "" where there is neither bound. */
  @Override
  public String toString() {
    if (leastText.isEmpty()) {
      return mostText.isEmpty() ? "" : "at most " + mostText;
    }
    return mostText.isEmpty() ? leastText + " or more" : "from " + leastText + " to " + mostText;
  }
}
