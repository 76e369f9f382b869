package dev.mainstay.studio;

import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pages and their files. They hold no data: what they show they ask the admin API for, and that
 * decides who sees it. Thread-safe.
 */
public final class Studio implements Routes {
  /**
   * First segments of the pages' paths, beside the first page at {@code /}; {@code routes.ts} names
   * the same ones.
   */
  static final Set<String> PAGES =
      Set.of(
          "calls",
          "runs",
          "run",
          "compare",
          "dead-letters",
          "failures",
          "gateway",
          "costs",
          "alerts",
          "evaluations",
          "settings",
          "login");

  private static final String ASSETS = "/assets/";

  /**
   * Scripts, styles and data from this origin alone, nothing inline, and no text may become markup.
   * Content Security Policy Level 3 and Trusted Types.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private final Map<String, Asset> assets = new LinkedHashMap<>();
  private final ByteBuf page;
  private final String tag;

  private Studio(List<Asset> files, String html) {
    files.forEach(file -> assets.put(file.path(), file));
    var bytes = html.getBytes(StandardCharsets.UTF_8);
    page = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes)).asReadOnly();
    tag = '"' + Asset.hash(bytes) + '"';
  }

  /** The studio of the class path; without its bundle, a page that says how to build it. */
  public static Studio load() {
    var script = read("web/main.js");
    var style = read("web/studio.css");
    var icon = read("icon.svg");
    if (script == null || style == null || icon == null) {
      return new Studio(List.of(), UNBUILT);
    }
    var files = new ArrayList<Asset>();
    files.add(Asset.of("main.js", "text/javascript; charset=utf-8", script));
    files.add(Asset.of("studio.css", "text/css; charset=utf-8", style));
    files.add(Asset.of("icon.svg", "image/svg+xml", icon));
    var html = PAGE.formatted(files.get(2).path(), files.get(1).path(), files.get(0).path());
    return new Studio(files, html);
  }

  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Mainstay</title>
      <link rel="icon" type="image/svg+xml" href="%s">
      <link rel="stylesheet" href="%s">
      <script type="module" src="%s"></script>
      </head>
      <body><div id="app"></div><noscript>The studio needs JavaScript.</noscript></body>
      </html>
      """;

  private static final String UNBUILT =
      """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><title>Mainstay</title></head>
      <body>
      <h1>The studio was not built</h1>
      <p>The gateway serves calls. Its pages are missing: this build left out the bundle of the module studio,
      because the build skipped Maven or Maven Central has no esbuild for the machine.</p>
      <p>Build them with <code>./mvnw -pl app -am package</code> on Linux (x64), macOS or Windows. On another machine install
      esbuild and add <code>-Desbuild=PATH</code>. The same data is at
      <a href="/api/calls">/api/calls</a> and in the terminal: <code>./mainstay calls ls</code>.</p>
      </body>
      </html>
      """;

  private static byte @Nullable [] read(String name) {
    try (var in = Studio.class.getResourceAsStream(name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Anyone gets the pages, the login page among them. */
  @Override
  public boolean isPublic() {
    return true;
  }

  @Override
  public boolean covers(String path) {
    if (path.startsWith(ASSETS) || path.equals("/")) {
      return true;
    }
    int end = path.indexOf('/', 1);
    return end != 1
        && path.startsWith("/")
        && PAGES.contains(path.substring(1, end < 0 ? path.length() : end));
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    var path = exchange.path();
    if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
      exchange.respond(405, "text/plain; charset=utf-8", "A page is read with GET.\n");
      return;
    }
    var headers = new DefaultHttpHeaders();
    headers.set("content-security-policy", POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("referrer-policy", "no-referrer");
    headers.set("cross-origin-opener-policy", "same-origin");
    if (path.startsWith(ASSETS)) {
      file(exchange, assets.get(path), headers);
      return;
    }
    headers.set(HttpHeaderNames.CONTENT_TYPE, "text/html; charset=utf-8");
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
    headers.set(HttpHeaderNames.ETAG, tag);
    boolean known = tag.equals(exchange.headers().get(HttpHeaderNames.IF_NONE_MATCH));
    exchange.respond(known ? 304 : 200, headers, known ? Unpooled.EMPTY_BUFFER : page.duplicate());
  }

  private static void file(Exchange exchange, @Nullable Asset file, HttpHeaders headers) {
    if (file == null) {
      exchange.respond(
          404,
          "text/plain; charset=utf-8",
          "There is no such file: the page is of another build. Load it again.\n");
      return;
    }
    headers.set(HttpHeaderNames.CONTENT_TYPE, file.type());
    headers.set(HttpHeaderNames.CACHE_CONTROL, "public, max-age=31536000, immutable");
    headers.set(HttpHeaderNames.VARY, "accept-encoding");
    var accepted = exchange.headers().get(HttpHeaderNames.ACCEPT_ENCODING, "");
    boolean packed = accepted.contains("gzip");
    if (packed) {
      headers.set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
    }
    exchange.respond(200, headers, (packed ? file.packed() : file.plain()).duplicate());
  }
}
