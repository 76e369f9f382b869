package dev.mainstay.http;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The way out to providers.
 *
 * @param http proxy for http base URLs, or null: straight
 * @param https proxy for https base URLs, reached by CONNECT, or null: straight
 * @param except hosts reached straight: {@code example.com} (and every name under it), {@code
 *     .example.com}, {@code host:port}, an address, an IPv4 network {@code 10.0.0.0/8}, or {@code
 *     *} for all
 */
public record Proxy(@Nullable URI http, @Nullable URI https, List<String> except) {
  /** No proxy. */
  public static final Proxy NONE = new Proxy(null, null, List.of());

  private static final List<String> HTTPS = List.of("https_proxy", "HTTPS_PROXY");
  private static final List<String> ALL = List.of("all_proxy", "ALL_PROXY");

  /** Checks that proxies are http URLs with a host. */
  public Proxy {
    check(http);
    check(https);
    except = List.copyOf(except);
  }

  /** Without the user and password that a proxy's address may hold. */
  @Override
  public String toString() {
    return "Proxy[http=%s, https=%s, except=%s]".formatted(bare(http), bare(https), except);
  }

  private static String bare(@Nullable URI uri) {
    return uri == null ? "none" : uri.getScheme() + "://" + uri.getHost() + ":" + uri.getPort();
  }

  /** One proxy for everything. */
  public static Proxy of(String url) {
    var uri = parse(url);
    return new Proxy(uri, uri, List.of());
  }

  /**
   * What the usual variables say: {@code HTTPS_PROXY}, {@code HTTP_PROXY}, {@code ALL_PROXY},
   * {@code NO_PROXY}, and the same in lower case, which wins. {@code HTTP_PROXY} in capitals is
   * ignored where {@code REQUEST_METHOD} is set: there a request's {@code Proxy:} header may have
   * made it (CVE-2016-5385). A value that is no http URL is ignored: {@link #unusable}.
   */
  public static Proxy fromEnvironment(Map<String, String> env) {
    @Nullable String all = first(env, ALL);
    @Nullable String http = first(env, http(env));
    @Nullable String https = first(env, HTTPS);
    @Nullable String none = first(env, List.of("no_proxy", "NO_PROXY"));
    return new Proxy(
        lenient(http != null ? http : all),
        lenient(https != null ? https : all),
        none == null
            ? List.of()
            : Stream.of(none.split("[,\\s]+")).filter(s -> !s.isEmpty()).toList());
  }

  /** The variables that name a proxy and are ignored: their values are no http URLs. */
  public static List<String> unusable(Map<String, String> env) {
    return Stream.of(http(env), HTTPS, ALL)
        .flatMap(List::stream)
        .filter(
            name -> first(env, List.of(name)) != null && lenient(first(env, List.of(name))) == null)
        .toList();
  }

  private static List<String> http(Map<String, String> env) {
    return env.containsKey("REQUEST_METHOD")
        ? List.of("http_proxy")
        : List.of("http_proxy", "HTTP_PROXY");
  }

  /**
   * The proxy for {@code target}, or null: straight. Loopback addresses are always reached
   * straight.
   */
  public @Nullable URI forTarget(URI target) {
    boolean secure = "https".equalsIgnoreCase(target.getScheme());
    @Nullable URI proxy = secure ? https : http;
    if (proxy == null) return null;
    String host = bare(target.getHost());
    if (host.equals("localhost") || host.startsWith("127.") || host.equals("::1")) return null;
    int port = target.getPort() >= 0 ? target.getPort() : secure ? 443 : 80;
    for (String entry : except) {
      if (matches(entry.toLowerCase(Locale.ROOT), host, port)) return null;
    }
    return proxy;
  }

  private static boolean matches(String entry, String host, int port) {
    if (entry.equals("*")) return true;
    int slash = entry.indexOf('/');
    if (slash > 0) return inNetwork(entry.substring(0, slash), entry.substring(slash + 1), host);
    String name = entry;
    int colon = entry.lastIndexOf(':');
    if (colon > 0 && entry.indexOf(':') == colon) {
      if (!entry.substring(colon + 1).equals(Integer.toString(port))) return false;
      name = entry.substring(0, colon);
    }
    name = bare(name.startsWith("*.") ? name.substring(1) : name);
    return name.startsWith(".")
        ? host.endsWith(name) || host.equals(name.substring(1))
        : host.equals(name) || host.endsWith("." + name);
  }

  private static boolean inNetwork(String network, String bits, String host) {
    long base = ipv4(network);
    long address = ipv4(host);
    if (base < 0 || address < 0 || !bits.matches("[0-9]{1,2}")) return false;
    int length = Integer.parseInt(bits);
    return length <= 32 && (length == 0 || base >> (32 - length) == address >> (32 - length));
  }

  private static long ipv4(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 4) return -1;
    long address = 0;
    for (String part : parts) {
      if (!part.matches("[0-9]{1,3}") || Integer.parseInt(part) > 255) return -1;
      address = address << 8 | Integer.parseInt(part);
    }
    return address;
  }

  private static String bare(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.startsWith("[") && lower.endsWith("]")
        ? lower.substring(1, lower.length() - 1)
        : lower;
  }

  private static @Nullable String first(Map<String, String> env, List<String> names) {
    for (String name : names) {
      String value = env.get(name);
      if (value != null && !value.isBlank()) return value.strip();
    }
    return null;
  }

  private static @Nullable URI lenient(@Nullable String url) {
    if (url == null) return null;
    try {
      return parse(url);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static URI parse(String url) {
    var uri = URI.create(url.contains("://") ? url : "http://" + url);
    check(uri);
    return uri;
  }

  private static void check(@Nullable URI uri) {
    if (uri == null) return;
    if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException("a proxy is an http:// URL with a host");
    }
  }
}
