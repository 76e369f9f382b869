package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A gateway with two scripted providers behind it, and a raw client in front. */
final class Harness implements AutoCloseable {
  final ScriptedProvider one = new ScriptedProvider();
  final ScriptedProvider two = new ScriptedProvider();
  final RecordedCalls kept = new RecordedCalls();
  final Gateway gateway;
  private final String server;
  private final String providers;
  final HttpClient client = HttpClient.newHttpClient();

  Harness() {
    this("");
  }

  /**
   * @param more YAML lines added at the top level
   */
  Harness(String more) {
    this(more, "drain: 2s");
  }

  /**
   * @param server a setting of the server's
   */
  Harness(String more, String server) {
    this(more, server, null);
  }

  /**
   * @param state what survives the gateway, or null
   */
  Harness(String more, String server, @Nullable DurableState state) {
    this(more, server, state, "");
  }

  /**
   * @param providers YAML lines of more providers
   */
  Harness(String more, String server, @Nullable DurableState state, String providers) {
    this.server = server;
    this.providers = providers;
    try {
      gateway = Gateway.start(config(more), kept, null, state);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A gateway over a real ledger, with one provider.
   *
   * @param settings more of the provider's, each after a comma
   */
  static Gateway over(Ledger ledger, ScriptedProvider provider, String settings)
      throws IOException {
    return Gateway.start(
        parsed(
            """
            server: { port: 0 }
            providers:
              one: { dialect: openai, base-url: "%s/v1", keys: ["%s"]%s }
            """
                .formatted(provider.url(), ScriptedProvider.KEY, settings)),
        ledger.recorder(),
        ledger.reader(),
        ledger.state());
  }

  /** The configuration as text, with YAML lines added at the top level. */
  String yaml(String more) {
    return """
    server: { port: 0, %s }
    providers:
      one: { dialect: openai, base-url: "%s/v1", keys: ["%s"] }
      two: { dialect: openai, base-url: "%s/v1", keys: ["sk-other-Provider0Key2SECRET"] }
      claude: { dialect: anthropic, base-url: "%s", keys: ["%s"] }
      gem: { dialect: gemini, base-url: "%s", keys: ["%s"] }
      mis: { dialect: mistral, base-url: "%s", keys: ["%s"] }
    %smodels:
      assistant: { targets: [one/first, two/second] }
    """
            .formatted(
                server,
                one.url(),
                ScriptedProvider.KEY,
                two.url(),
                one.url(),
                ScriptedProvider.KEY,
                one.url(),
                ScriptedProvider.KEY,
                one.url(),
                ScriptedProvider.KEY,
                providers)
        + more;
  }

  Config config(String more) {
    return parsed(yaml(more));
  }

  static Config parsed(String yaml) {
    try {
      return ConfigLoader.parse(yaml, "test.yaml", Map.of());
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + gateway.port();
  }

  HttpResponse<String> post(String path, String body, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create(url() + path))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return send(request);
  }

  HttpResponse<String> get(String path, String... headers) {
    var request = HttpRequest.newBuilder(URI.create(url() + path)).GET();
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return send(request);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  HttpResponse<String> chat(String model) {
    return post("/v1/chat/completions", ask(model, false));
  }

  HttpResponse<String> chatStream(String model) {
    return post("/v1/chat/completions", ask(model, true));
  }

  static String ask(String model, boolean stream) {
    return "{\"model\":\""
        + model
        + "\",\"stream\":"
        + stream
        + ", \"messages\":[{\"role\":\"user\",\"content\":\"prompt-PLANTED-words\"}],\"x-unknown\":[1]}";
  }

  static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Override
  public void close() {
    client.close();
    gateway.close();
    one.close();
    two.close();
  }
}
