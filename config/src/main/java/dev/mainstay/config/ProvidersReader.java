package dev.mainstay.config;

import dev.mainstay.wire.Api;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code providers}: who they are, in the file's order, and who of them has lost all keys.
 */
final class ProvidersReader {
  private final @Nullable Path folder;
  private final List<String> notices;
  private final Map<String, Config.Provider> providers = new LinkedHashMap<>();
  private final Set<String> names = new LinkedHashSet<>();
  private final Set<String> disabled = new HashSet<>();
  private final Set<String> mistaken = new HashSet<>();

  /**
   * @param folder the file's own, or null where there is none: PEM files are not looked at then
   * @param notices where it says what it left out
   */
  ProvidersReader(@Nullable Path folder, List<String> notices) {
    this.folder = folder;
    this.notices = notices;
  }

  /** Those that can be asked, by name. */
  Map<String, Config.Provider> providers() {
    return providers;
  }

  /** All that are in the file, in its order. */
  Set<String> names() {
    return names;
  }

  /** Whether it is in the file and was left out for want of a key. */
  boolean disabled(String name) {
    return disabled.contains(name);
  }

  /** Whether it is in the file, with mistakes of its own that were told. */
  boolean mistaken(String name) {
    return mistaken.contains(name);
  }

  void read(Section section) {
    for (var name : section.keys()) {
      if (name.isEmpty() || name.indexOf('/') >= 0) {
        section.problem(name, "\"" + name + "\"", "a name without \"/\"");
        section.leave(name);
        continue;
      }
      names.add(name);
      var provider = provider(name, section.section(name));
      if (provider != null) {
        providers.put(name, provider);
      } else if (!disabled.contains(name)) {
        mistaken.add(name);
      }
    }
  }

  private Config.@Nullable Provider provider(String name, Section section) {
    var dialects = new LinkedHashMap<String, Api>();
    for (var api : Api.values()) {
      dialects.put(api.label(), api);
    }
    if (!section.has("dialect")) {
      section.problem("dialect", "nothing", String.join(" | ", dialects.keySet()));
    }
    var api = section.choice("dialect", dialects, Api.OPENAI);
    var baseUrl = baseUrl(section, "base-url");
    var keys = new ArrayList<Secret>();
    var seen = new HashSet<String>();
    var elements = section.elements("keys");
    int number = 0;
    for (var element : elements) {
      number++;
      var key = element.text();
      if (key == null) {
        continue;
      }
      if (key.isBlank()) {
        notices.add("provider " + name + ": key " + number + " is empty and was left out");
      } else if (!new Secret(key.strip()).fitsHeader()) {
        element.problem("a key that no header can carry", Secret.HEADER);
      } else if (seen.add(key.strip())) {
        keys.add(new Secret(key.strip()));
      }
    }
    var headers = new HashMap<String, String>();
    var given = section.section("headers");
    for (var header : List.copyOf(given.keys())) {
      headers.put(header.toLowerCase(Locale.ROOT), given.text(header, ""));
    }
    var proxy = section.textOrNull("proxy");
    if (proxy != null && !proxy.equals("none") && !isProxy(proxy)) {
      section.problem("proxy", "what is no such URL", "none, or the URL of an http proxy");
      proxy = null;
    }
    var tls = section.section("tls");
    var ca = tls.textOrNull("ca");
    if (ca != null && folder != null) {
      Pem.certificates(tls, "ca", ConfigReader.path(folder, ca));
    }
    tls.finish();
    section.finish();
    if (!elements.isEmpty() && keys.isEmpty()) {
      notices.add("provider " + name + " has no key left and is disabled");
      disabled.add(name);
      return null;
    }
    return baseUrl == null
        ? null
        : new Config.Provider(
            name,
            api,
            baseUrl,
            keys,
            headers,
            "none".equals(proxy),
            "none".equals(proxy) ? null : proxy,
            ca == null ? null : ConfigReader.path(folder, ca));
  }

  private static boolean isProxy(String text) {
    try {
      var url = URI.create(text.contains("://") ? text : "http://" + text);
      return "http".equalsIgnoreCase(url.getScheme()) && url.getHost() != null;
    } catch (IllegalArgumentException e) {
      // Its words may hold the proxy's password.
      return false;
    }
  }

  private static @Nullable URI baseUrl(Section section, String key) {
    var text = section.textOrNull(key);
    var allowed = "an http or https URL without user, query or fragment";
    if (text == null || text.isBlank()) {
      section.problem(key, "nothing", allowed);
      return null;
    }
    var url = url(text);
    if (url == null) {
      section.problem(key, "what is no such URL", allowed);
    }
    return url;
  }

  static @Nullable URI url(String text) {
    try {
      var url = URI.create(text.strip());
      boolean good =
          ("http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme()))
              && url.getHost() != null
              && url.getRawUserInfo() == null
              && url.getRawQuery() == null
              && url.getRawFragment() == null;
      return good ? url : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
