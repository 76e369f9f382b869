package dev.mainstay.config;

import dev.mainstay.call.redact.Redaction;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.settings.Dollars;
import dev.mainstay.core.settings.ValueType;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kinds of values that only a configuration has. */
final class Types {
  private static final String STARS = "***";

  private Types() {}

  /** What signs messages. */
  static final class SecretText implements ValueType<Secret> {
    @Override
    public Secret parse(String text) {
      return new Secret(text.strip());
    }

    @Override
    public String allowed() {
      return "a secret that is not empty";
    }

    @Override
    public String format(Secret value) {
      return value.isEmpty() ? "" : STARS;
    }
  }

  /** What is kept of a password. */
  static final class Password implements ValueType<PasswordHash> {
    @Override
    public @Nullable PasswordHash parse(String text) {
      return PasswordHash.parse(text);
    }

    @Override
    public String allowed() {
      return "what `./mainstay config password` prints";
    }

    @Override
    public String found(String text) {
      return "something else";
    }

    @Override
    public String format(PasswordHash value) {
      return STARS;
    }
  }

  /** A provider's key, in which blanks around it are a slip of whoever pasted it. */
  static final class ProviderKey extends HeaderSecret {
    @Override
    public @Nullable Secret parse(String text) {
      return super.parse(text.strip());
    }
  }

  /** A key or token that clients send in a header. */
  static class HeaderSecret implements ValueType<Secret> {
    @Override
    public @Nullable Secret parse(String text) {
      var secret = new Secret(text);
      return secret.fitsHeader() ? secret : null;
    }

    @Override
    public String allowed() {
      return Secret.HEADER;
    }

    @Override
    public String found(String text) {
      return "a value that no header can carry";
    }

    @Override
    public String format(Secret value) {
      return value.isEmpty() ? "" : STARS;
    }
  }

  /** A text that is sent and may be a secret. */
  static final class HiddenText implements ValueType<String> {
    @Override
    public String parse(String text) {
      return text;
    }

    @Override
    public String allowed() {
      return "a text";
    }

    @Override
    public String format(String value) {
      return STARS;
    }
  }

  /** Where the ledger is: a directory, or a database, whose URL may hold a password. */
  static final class StoreUrl implements ValueType<String> {
    private static final String DATABASE = "jdbc:postgresql:";

    @Override
    public @Nullable String parse(String text) {
      boolean other = text.startsWith("jdbc:") && !text.startsWith(DATABASE);
      return text.isBlank() || other ? null : text;
    }

    @Override
    public String allowed() {
      return "a directory, or jdbc:postgresql://HOST/DATABASE";
    }

    @Override
    public String found(String text) {
      return text.startsWith("jdbc:") ? "a database of another kind" : "no directory";
    }

    /** Without its query, and without what stands before the host. */
    @Override
    public Object show(String value) {
      if (!value.startsWith(DATABASE)) {
        return value;
      }
      int query = value.indexOf('?');
      var shown = query < 0 ? value : value.substring(0, query);
      int host = shown.indexOf("//") + 2;
      int at = shown.lastIndexOf('@');
      return at >= host && host > 1 ? shown.substring(0, host) + shown.substring(at + 1) : shown;
    }
  }

  /** Where a provider is. */
  static final class BaseUrl implements ValueType<URI> {
    @Override
    public @Nullable URI parse(String text) {
      var url = HttpUrl.parse(text);
      return url != null && url.getRawQuery() == null && url.getRawFragment() == null ? url : null;
    }

    @Override
    public String allowed() {
      return "an http or https URL without user, query or fragment";
    }

    @Override
    public String found(String text) {
      return noUrl(text);
    }
  }

  /** Where messages are posted; its path is often its secret. */
  static final class HookUrl implements ValueType<URI> {
    @Override
    public @Nullable URI parse(String text) {
      return HttpUrl.parse(text);
    }

    @Override
    public String allowed() {
      return "an http or https URL";
    }

    @Override
    public String found(String text) {
      return noUrl(text);
    }

    @Override
    public Object show(URI value) {
      return value.getScheme() + "://" + value.getAuthority() + "/" + STARS;
    }
  }

  /** {@code none}, or a proxy, whose URL may hold a password. */
  static final class ProxyUrl implements ValueType<String> {
    @Override
    public @Nullable String parse(String text) {
      if (text.equals("none")) {
        return text;
      }
      try {
        var url = URI.create(text.contains("://") ? text : "http://" + text);
        return "http".equalsIgnoreCase(url.getScheme()) && HttpUrl.hasServer(url) ? text : null;
      } catch (IllegalArgumentException e) {
        return null;
      }
    }

    @Override
    public String allowed() {
      return "none, or the URL of an http proxy";
    }

    @Override
    public String found(String text) {
      return noUrl(text);
    }

    @Override
    public Object show(String value) {
      return value.equals("none") ? value : STARS;
    }
  }

  /** A mail server, with its user and password. */
  static final class SmtpUrl implements ValueType<URI> {
    @Override
    public @Nullable URI parse(String text) {
      try {
        var url = URI.create(text.strip());
        boolean good =
            ("smtp".equalsIgnoreCase(url.getScheme()) || "smtps".equalsIgnoreCase(url.getScheme()))
                && HttpUrl.hasServer(url);
        return good ? url : null;
      } catch (IllegalArgumentException e) {
        return null;
      }
    }

    @Override
    public String allowed() {
      return "a URL such as smtp://user:password@mail.example.com:587 or smtps://…";
    }

    @Override
    public String found(String text) {
      return noUrl(text);
    }

    @Override
    public Object show(URI value) {
      return value.getScheme() + "://" + value.getHost();
    }
  }

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

  /** Dollars for a million. */
  static final class PerMillion implements ValueType<BigDecimal> {
    @Override
    public @Nullable BigDecimal parse(String text) {
      var usd = Dollars.decimal(text);
      return usd == null || usd.signum() < 0 || usd.stripTrailingZeros().scale() > 6 ? null : usd;
    }

    @Override
    public String allowed() {
      return "dollars per million tokens or uses, 0 or more, with at most six decimals";
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

  private static String noUrl(String text) {
    return text.isBlank() ? "nothing" : "a value that is not such a URL";
  }
}
