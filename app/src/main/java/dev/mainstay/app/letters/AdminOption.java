package dev.mainstay.app.letters;

import dev.mainstay.app.FailedException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which gateway to ask, and the asking. */
final class AdminOption {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      defaultValue = "${env:MAINSTAY_GATEWAY:-http://127.0.0.1:8484}",
      description = {
        "Address of the running gateway. Default: $MAINSTAY_GATEWAY, else http://127.0.0.1:8484.",
        "Its admin token, where it has one, is taken from $MAINSTAY_ADMIN_TOKEN."
      })
  private String gateway = "";

  /** What the gateway answers to a GET of {@code path}. */
  JsonNode get(String path) {
    return ask("GET", path);
  }

  /** What it answers to a POST. */
  JsonNode post(String path) {
    return ask("POST", path);
  }

  static String encoded(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8);
  }

  private JsonNode ask(String method, String path) {
    var request =
        HttpRequest.newBuilder(address(path))
            .timeout(PATIENCE)
            .method(method, HttpRequest.BodyPublishers.noBody());
    var token = System.getenv("MAINSTAY_ADMIN_TOKEN");
    if (token != null && !token.isBlank()) {
      request.header("authorization", "Bearer " + token.strip());
    }
    try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
      var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      var body = JSON.readTree(answer.body());
      if (answer.statusCode() >= 300) {
        throw new FailedException(why(answer.statusCode(), body));
      }
      return body;
    } catch (IOException e) {
      throw new FailedException(
          "no gateway answers at %s: start it, or name another with --gateway URL"
              .formatted(gateway),
          e);
    } catch (JacksonException e) {
      throw new FailedException("what answers at %s is no gateway".formatted(gateway), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted", e);
    }
  }

  private URI address(String path) {
    try {
      var base = gateway.endsWith("/") ? gateway.substring(0, gateway.length() - 1) : gateway;
      var uri = URI.create(base + path);
      if (uri.getHost() != null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Told below, like one without a host.
    }
    throw new FailedException("--gateway is no address: " + gateway);
  }

  private static String why(int status, @Nullable JsonNode body) {
    var message = body == null ? "" : body.path("error").path("message").asString("");
    return message.isEmpty() ? "the gateway answered " + status : "the gateway says: " + message;
  }
}
