package dev.mainstay.app.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.app.GatewayProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A provider of each dialect repeats its key wherever it can write; then everything that left the
 * process or stays on disk is searched for keys: what clients got, the store, the log, spans,
 * alerts, metrics and the admin API.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KeysReachNobodyTest {
  private static final Pattern READY = Pattern.compile("Mainstay is ready on http://[^:]+:(\\d+)");
  private static final Pattern ID = Pattern.compile("call_[0-9a-z]{26}");

  /** Each with its own words, so that a find says whose it is. */
  private static final Map<String, String> KEYS =
      Map.of(
          "openai", "sk-Planted0penAi/Key+A1b2C3d4E5f6",
          "anthropic", "sk-ant-PlantedAnthropicKey-G7h8I9j0",
          "mistral", "PlantedMistralKeyK1l2M3n4O5p6Q7r8",
          "gemini", "AIzaPlantedGeminiKey_S9t0U1v2W3x4");

  private static final String CLIENT = "sk-PlantedClientKey-Y5z6A7b8";
  private static final String ADMIN = "PlantedAdminToken-C9d0E1f2";
  private static final String WEBHOOK = "whsec-PlantedWebhookSecret-G3h4";

  @TempDir Path directory;
  private final Map<String, byte[]> seen = new LinkedHashMap<>();
  private int port;

  @Test
  void aKeyThatAProviderRepeatsIsFoundNowhere() throws Exception {
    var collected = new ByteArrayOutputStream();
    var collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/",
        exchange -> {
          synchronized (collected) {
            exchange
                .getRequestHeaders()
                .forEach((k, v) -> collected.writeBytes((k + v).getBytes(ISO_8859_1)));
            collected.writeBytes(exchange.getRequestBody().readAllBytes());
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    var sink = "http://127.0.0.1:" + collector.getAddress().getPort();
    try (var provider = new EchoingProvider()) {
      var process = serve(provider.url(), sink);
      var said = new ByteArrayOutputStream();
      try {
        await(process, said);
        int asked = askEverything();
        assertThat(provider.planted.get()).as("answers with a key").isGreaterThanOrEqualTo(asked);
        seen.put("metrics", raw("GET", "/metrics", ADMIN, ""));
        seen.put("health", raw("GET", "/health", ADMIN, ""));
        for (var path :
            List.of("/api/calls?limit=1000", "/api/config", "/api/alerts", "/api/costs")) {
          seen.put(path, raw("GET", path, ADMIN, ""));
        }
        var ids = ID.matcher(new String(seen.get("/api/calls?limit=1000"), ISO_8859_1));
        int looked = 0;
        for (; ids.find() && looked < 400; looked++) {
          seen.put("/api/calls/" + ids.group(), raw("GET", "/api/calls/" + ids.group(), ADMIN, ""));
        }
        assertThat(looked).as("calls on record").isGreaterThan(20);
        process.toHandle().destroy();
        process.getInputStream().transferTo(said);
        assertThat(process.waitFor()).isEqualTo(143);
      } finally {
        process.destroyForcibly();
        collector.stop(0);
      }
      seen.put("log", said.toByteArray());
      assertThat(said.size()).as("what was logged").isGreaterThan(10_000);
      assertThat(collected.size()).as("what was exported").isGreaterThan(10_000);
      seen.put("spans and alerts", collected.toByteArray());
      try (var files = Files.walk(directory.resolve("data"))) {
        for (var file : files.filter(Files::isRegularFile).toList()) {
          seen.put(file.toString(), Files.readAllBytes(file));
        }
      }
      search(asked());
    }
  }

  private int asked() {
    return EchoingProvider.PLACES.size();
  }

  /** Every place, in every dialect, whole and streamed, and through. */
  private int askEverything() throws IOException {
    int count = 0;
    for (var place : EchoingProvider.PLACES.keySet()) {
      var model = "place-" + place;
      for (boolean stream : new boolean[] {false, true}) {
        var chat =
            "{\"model\":\"%s/"
                + model
                + "\",\"stream\":"
                + stream
                + ",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
        count += ask(place, stream, "/v1/chat/completions", chat.formatted("openai"));
        count += ask(place, stream, "/v1/chat/completions", chat.formatted("mistral"));
        count += ask(place, stream, "/v1/messages", chat.formatted("anthropic"));
        // Another dialect than the client's, which is written anew.
        count += ask(place, stream, "/v1/messages", chat.formatted("openai"));
        count +=
            ask(
                place,
                stream,
                "/v1beta/models/gemini%2F"
                    + model
                    + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent"),
                "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}");
      }
      for (var provider : KEYS.keySet()) {
        count += ask(place, false, "/providers/" + provider + "/files/" + model, "{}");
      }
      count += ask(place, false, "/providers/openai/files/" + model, "");
    }
    return count;
  }

  private int ask(String place, boolean stream, String path, String body) throws IOException {
    var answer = raw(body.isEmpty() ? "GET" : "POST", path, CLIENT, body);
    var head = new String(answer, ISO_8859_1).split("\r\n\r\n", 2)[0];
    var name = place + (stream ? " streamed " : " ") + path + " " + body.hashCode();
    assertThat(head).as(name).startsWith("HTTP/1.1 ");
    assertThat(head.toLowerCase(java.util.Locale.ROOT))
        .as(name)
        .doesNotContain("idempotent-replayed")
        .doesNotContain("set-cookie")
        .doesNotContain("x-accel-redirect")
        .doesNotContain("refresh:")
        .doesNotContain("location: http://sk")
        .doesNotContainPattern("x-mainstay-(call|target): [^\r\n]*\\*\\*\\*");
    if (place.equals("redirect")) {
      assertThat(head).as(name).startsWith("HTTP/1.1 502");
    }
    seen.put(name, answer);
    return 1;
  }

  private byte[] raw(String method, String path, String key, String body) throws IOException {
    try (var socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(60_000);
      var request =
          method
              + " "
              + path
              + " HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
              + "content-type: application/json\r\nauthorization: Bearer "
              + key
              + "\r\ncontent-length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return socket.getInputStream().readAllBytes();
    }
  }

  private void search(int places) {
    var needles = new LinkedHashMap<String, String>();
    KEYS.forEach((name, key) -> needles(needles, name, key));
    needles(needles, "client", CLIENT);
    needles(needles, "admin", ADMIN);
    needles(needles, "webhook", WEBHOOK);
    var finds = new ArrayList<String>();
    int masked = 0;
    for (var entry : seen.entrySet()) {
      var text = new String(entry.getValue(), ISO_8859_1);
      masked += text.contains("********") ? 1 : 0;
      needles.forEach(
          (needle, whose) -> {
            int at = text.indexOf(needle);
            if (at >= 0) {
              finds.add(
                  "%s in %s: %s"
                      .formatted(
                          whose,
                          entry.getKey(),
                          text.substring(Math.max(0, at - 60), Math.min(text.length(), at + 60))));
            }
          });
    }
    assertThat(finds).isEmpty();
    assertThat(masked).as("keys were there to be masked").isGreaterThan(places * 5);
  }

  private static void needles(Map<String, String> needles, String name, String key) {
    // Without its ends: a part of a key is one too.
    needles.put(key.substring(6, key.length() - 4), name + "'s key");
    needles.put(key.replace("/", "\\/").substring(6), name + "'s key in JSON");
    needles.put(
        key.replace("-", "%2D").replace("/", "%2F").replace("+", "%2B").substring(6),
        name + "'s key in a URL");
    for (int before = 0; before < 3; before++) {
      var text =
          Base64.getEncoder().encodeToString(("x".repeat(before) + key).getBytes(ISO_8859_1));
      needles.put(text.substring(8, text.length() - 8), name + "'s key in Base64");
    }
  }

  private void await(Process process, ByteArrayOutputStream said) throws IOException {
    var in = process.getInputStream();
    while (port == 0) {
      int b = in.read();
      assertThat(b).as("it said: %s", said).isNotNegative();
      said.write(b);
      if (b == '\n') {
        var ready = READY.matcher(said.toString(ISO_8859_1));
        if (ready.find()) {
          port = URI.create("http://x:" + ready.group(1)).getPort();
        }
      }
    }
    var rest =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  try {
                    in.transferTo(said);
                  } catch (IOException e) {
                    // The process has ended.
                  }
                });
    rest.start();
  }

  private Process serve(String provider, String sink) throws IOException {
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        server: { port: 0 }
        store: { url: "%s" }
        admin: { token: "%s" }
        clients: [{ name: team, key: "%s" }]
        alerts: { webhook: { url: "%s/alerts", secret: "%s" } }
        recovery:
          max-attempts: 2
          retry: { max-per-target: 2, initial-delay: 1ms }
          breaker: { consecutive-failures: 100000, failure-rate: 1.0, of-at-least: 100000 }
        providers:
          openai: { dialect: openai, base-url: "%s/v1", keys: ["%s"] }
          anthropic: { dialect: anthropic, base-url: "%s", keys: ["%s"] }
          mistral: { dialect: mistral, base-url: "%s", keys: ["%s"] }
          gemini: { dialect: gemini, base-url: "%s", keys: ["%s"] }
        """
            .formatted(
                directory.resolve("data"),
                ADMIN,
                CLIENT,
                sink,
                WEBHOOK,
                provider,
                KEYS.get("openai"),
                provider,
                KEYS.get("anthropic"),
                provider,
                KEYS.get("mistral"),
                provider,
                KEYS.get("gemini")));
    var builder = GatewayProcess.command(config, GatewayProcess.QUICK);
    builder.environment().put("MAINSTAY_LOG", "debug");
    builder.environment().put("OTEL_EXPORTER_OTLP_ENDPOINT", sink);
    return builder.start();
  }
}
