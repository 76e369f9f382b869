package dev.mainstay.config;

import static dev.mainstay.config.SecretTypes.STARS;

import dev.mainstay.core.settings.ValueType;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** URLs, shown without what may be secret in them. */
final class UrlTypes {
  private UrlTypes() {}

  /** A URL of one kind; a wrong one may hold a secret, so that errors do not repeat it. */
  private abstract static class Url<T> implements ValueType<T> {
    private final String allowed;

    Url(String allowed) {
      this.allowed = allowed;
    }

    @Override
    public final String allowed() {
      return allowed;
    }

    @Override
    public final String found(String text) {
      return text.isBlank() ? "nothing" : "a value that is not such a URL";
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
  static final class BaseUrl extends Url<URI> {
    BaseUrl() {
      super("an http or https URL without user, query or fragment");
    }

    @Override
    public @Nullable URI parse(String text) {
      var url = HttpUrl.parse(text);
      return url != null && url.getRawQuery() == null && url.getRawFragment() == null ? url : null;
    }
  }

  /** Where messages are posted; its path is often its secret. */
  static final class HookUrl extends Url<URI> {
    HookUrl() {
      super("an http or https URL");
    }

    @Override
    public @Nullable URI parse(String text) {
      return HttpUrl.parse(text);
    }

    @Override
    public Object show(URI value) {
      return value.getScheme() + "://" + value.getAuthority() + "/" + STARS;
    }
  }

  /** {@code none}, or a proxy, whose URL may hold a password. */
  static final class ProxyUrl extends Url<String> {
    ProxyUrl() {
      super("none, or the URL of an http proxy");
    }

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
    public Object show(String value) {
      return value.equals("none") ? value : STARS;
    }
  }

  /** A mail server, with its user and password. */
  static final class SmtpUrl extends Url<URI> {
    SmtpUrl() {
      super("a URL such as smtp://user:password@mail.example.com:587 or smtps://…");
    }

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
    public Object show(URI value) {
      return value.getScheme() + "://" + value.getHost();
    }
  }
}
