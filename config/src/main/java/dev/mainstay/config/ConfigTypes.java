package dev.mainstay.config;

import dev.mainstay.call.redact.Redaction;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.settings.Dollars;
import dev.mainstay.core.settings.ValueType;
import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of values that only a configuration has, beside {@link SecretTypes secrets} and {@link
 * UrlTypes URLs}.
 */
final class ConfigTypes {
  private ConfigTypes() {}

  /** A file, from the folder of the configuration. */
  static final class FilePath implements ValueType<Path> {
    @Override
    public @Nullable Path parse(String text) {
      try {
        return text.isBlank() ? null : Path.of(text);
      } catch (InvalidPathException e) {
        return null;
      }
    }

    @Override
    public String allowed() {
      return "the path of a file";
    }
  }

  /** Whom mail is from, or to. */
  static final class Mailbox implements ValueType<MailAddress> {
    @Override
    public @Nullable MailAddress parse(String text) {
      return MailAddress.parse(text);
    }

    @Override
    public String allowed() {
      return "an address such as ann@example.com or Ann <ann@example.com>";
    }
  }

  /** A provider and one of its models. */
  static final class Target implements ValueType<TargetId> {
    @Override
    public @Nullable TargetId parse(String text) {
      int slash = text.indexOf('/');
      return slash <= 0 || slash == text.length() - 1
          ? null
          : new TargetId(text.substring(0, slash), text.substring(slash + 1));
    }

    @Override
    public String allowed() {
      return "provider/model";
    }
  }

  /** A day, UTC. */
  static final class Day implements ValueType<LocalDate> {
    @Override
    public @Nullable LocalDate parse(String text) {
      try {
        return LocalDate.parse(text.strip());
      } catch (DateTimeParseException e) {
        return null;
      }
    }

    @Override
    public String allowed() {
      return "a day such as 2026-01-31";
    }
  }

  /** Dollars, which are shown as a number. */
  private abstract static class Usd implements ValueType<BigDecimal> {
    @Override
    public @Nullable BigDecimal parse(String text) {
      var usd = Dollars.decimal(text);
      return usd == null || usd.signum() < 0 ? null : usd;
    }

    @Override
    public String format(BigDecimal value) {
      return value.toPlainString();
    }

    @Override
    public Object show(BigDecimal value) {
      return value;
    }

    @Override
    public String schema() {
      return "number";
    }
  }

  /** Dollars for a million. */
  static final class PerMillion extends Usd {
    @Override
    public @Nullable BigDecimal parse(String text) {
      var usd = super.parse(text);
      return usd == null || usd.stripTrailingZeros().scale() > 6 ? null : usd;
    }

    @Override
    public String allowed() {
      return "dollars per million tokens or uses, 0 or more, with at most six decimals";
    }
  }

  /** Dollars a call. */
  static final class PricePerCall extends Usd {
    @Override
    public String allowed() {
      return "dollars, 0 or more";
    }
  }

  /** What is taken out of bodies before they are kept. */
  static final class RedactionRule implements ValueType<String> {
    @Override
    public @Nullable String parse(String text) {
      return mistake(text) == null ? text : null;
    }

    private static @Nullable String mistake(String text) {
      try {
        Redaction.of(List.of(text));
        return null;
      } catch (IllegalArgumentException e) {
        return String.valueOf(e.getMessage());
      }
    }

    @Override
    public String allowed() {
      return "a path such as $.messages[*].content or $..email, or a pattern such as /[0-9]{16}/";
    }

    @Override
    public String found(String text) {
      return "\"" + text + "\": " + mistake(text);
    }
  }
}
