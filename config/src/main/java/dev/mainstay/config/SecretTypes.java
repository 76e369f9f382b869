package dev.mainstay.config;

import dev.mainstay.core.settings.ValueType;
import org.jspecify.annotations.Nullable;

/** Values that are never shown: they print as stars. */
final class SecretTypes {
  static final String STARS = "***";

  private SecretTypes() {}

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
}
