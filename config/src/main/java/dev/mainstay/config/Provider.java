package dev.mainstay.config;

import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.wire.Api;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A company's API, or a server that speaks like one. */
public record Provider(
    @Setting(value = "The name.", key = true) String name,
    @Setting(value = "The provider's wire format.", name = "dialect", required = true) Api api,
    @Setting(
            value = "The base URL, exactly as the provider's own SDK takes it.",
            type = UrlTypes.BaseUrl.class,
            required = true)
        URI baseUrl,
    @Setting(
            value = "The pool of keys. Leave it out if the provider needs no key.",
            type = SecretTypes.ProviderKey.class)
        List<Secret> keys,
    @Setting(
            value = "Headers to send with every request to the provider.",
            type = SecretTypes.HiddenText.class)
        Map<String, String> headers,
    @Setting(
            value = "The URL of an HTTP proxy for this provider, or `none`.",
            otherwise = "the usual proxy variables",
            type = UrlTypes.ProxyUrl.class)
        @Nullable String proxy,
    @Setting("The certificates to trust.") Trust tls,
    @Setting(
            value =
                "The vendor whose rules and prices apply: openai, anthropic, mistral, gemini, …",
            otherwise = "the owner of the base URL, else the provider's name")
        @Nullable String vendor,
    @Setting("The limits of the account, which all clients and agents share.") RateLimits limits) {
  public Provider {
    keys = List.copyOf(keys);
    var lower = new TreeMap<String, String>();
    headers.forEach((header, value) -> lower.put(header.toLowerCase(Locale.ROOT), value));
    headers = Collections.unmodifiableMap(lower);
  }

  /** One with nothing but a key or none. */
  public static Provider of(String name, Api api, URI baseUrl, List<Secret> keys) {
    return new Provider(
        name, api, baseUrl, keys, Map.of(), null, new Trust(null), null, RateLimits.NONE);
  }

  Provider withKeys(List<Secret> value) {
    return new Provider(name, api, baseUrl, value, headers, proxy, tls, vendor, limits);
  }

  /** The vendor whose prices hold: as said, else the base URL's owner, else the name. */
  public String vendorName() {
    return Vendors.of(this);
  }

  /** The name of the rules that its failures go through first. */
  public String rulesName() {
    return Vendors.rules(this);
  }

  /** Whether the proxies of the environment are left out. */
  public boolean direct() {
    return "none".equals(proxy);
  }

  /** A PEM file of the certificates to trust, or null for the JDK's. */
  public @Nullable Path ca() {
    return tls.ca();
  }

  @Override
  public String toString() {
    return "Provider[" + name + ", " + api.label() + ", " + baseUrl + "]";
  }

  /** Whom to trust. */
  public record Trust(
      @Setting(
              value = "The PEM file of the certificates to trust instead of the JDK's.",
              type = ConfigTypes.FilePath.class)
          @Nullable Path ca) {}
}
