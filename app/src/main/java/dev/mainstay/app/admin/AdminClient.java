package dev.mainstay.app.admin;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The admin API of a gateway that runs. */
public final class AdminClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long a gateway that restarts is waited for. */
  private static final Duration RESTART = Duration.ofMinutes(1);

  private final URI url;
  private final @Nullable String token;
  private final HttpClient http;

  /**
   * @param url of the gateway, such as {@code http://127.0.0.1:8484}
   * @param token the admin token, or null where none is needed
   * @throws UsageException where it is no URL
   */
  public AdminClient(String url, @Nullable String token) {
    this.url = parsed(url);
    this.token = token == null || token.isBlank() ? null : token.strip();
    http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
  }

  private static URI parsed(String url) {
    try {
      var parsed = URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
      if (parsed.getHost() != null && String.valueOf(parsed.getScheme()).startsWith("http")) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new UsageException(
        "--url is no http or https URL such as http://127.0.0.1:8484, but " + url);
  }

  /**
   * What the gateway answers, or null where it says that there is no such thing.
   *
   * @throws FailedException where it does not answer, or refuses
   */
  public @Nullable JsonNode get(String path) {
    var answer = send(HttpRequest.newBuilder(at(path)).GET());
    return answer == null ? null : json(answer);
  }

  /** As {@link #get}, for a request that changes something. */
  public @Nullable JsonNode post(String path) {
    var answer = send(HttpRequest.newBuilder(at(path)).POST(BodyPublishers.noBody()));
    return answer == null ? null : json(answer);
  }

  /** As {@link #post(String)}, with a JSON body and an idempotency key. */
  public @Nullable JsonNode post(String path, String json, String key) {
    var answer =
        send(
            HttpRequest.newBuilder(at(path))
                .header("content-type", "application/json")
                .header("idempotency-key", key)
                .POST(BodyPublishers.ofString(json)));
    return answer == null ? null : json(answer);
  }

  /**
   * Gives each Server-Sent Event's data to {@code events} as it comes, and goes on where it was
   * when the connection breaks or the gateway restarts.
   *
   * @return the last event
   * @throws FailedException where there is no such stream, or no gateway answers for a minute
   */
  public JsonNode events(String path, Consumer<JsonNode> events) {
    JsonNode last = JsonMapper.shared().missingNode();
    String lastId = null;
    long silentSince = System.nanoTime();
    while (true) {
      var request = HttpRequest.newBuilder(at(path)).GET();
      if (lastId != null) {
        request.header("last-event-id", lastId);
      }
      if (token != null) {
        request.header("authorization", "Bearer " + token);
      }
      try {
        var response = http.send(request.build(), BodyHandlers.ofLines());
        if (response.statusCode() != 200) {
          var body = String.join("", response.body().toList());
          throw new FailedException(
              "the gateway at %s answered %d: %s"
                  .formatted(
                      url, response.statusCode(), words(body.getBytes(StandardCharsets.UTF_8))));
        }
        for (var line : (Iterable<String>) response.body()::iterator) {
          silentSince = System.nanoTime();
          if (line.startsWith("id: ")) {
            lastId = line.substring("id: ".length());
          } else if (line.startsWith("data: ")) {
            last = json(line.substring("data: ".length()).getBytes(StandardCharsets.UTF_8));
            events.accept(last);
          }
        }
        if (last.path("type").asString("").equals("run.ended")) {
          return last;
        }
      } catch (IOException | UncheckedIOException e) {
        if (System.nanoTime() - silentSince > RESTART.toNanos()) {
          throw new FailedException("no gateway answers at %s".formatted(url), e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new FailedException("interrupted", e);
      }
      pause();
    }
  }

  private static void pause() {
    try {
      new CompletableFuture<Void>().completeOnTimeout(null, 250, TimeUnit.MILLISECONDS).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a pause cannot fail", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted", e);
    }
  }

  /** Text as a path or a query has it. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Parameters as they follow others in a query. */
  public static String parameters(Map<String, String> parameters) {
    var query = new StringBuilder();
    parameters.forEach(
        (name, value) ->
            query.append('&').append(encoded(name)).append('=').append(encoded(value)));
    return query.toString();
  }

  /** The bytes of a body, or null where they are not kept. */
  public byte @Nullable [] bytes(String path) {
    return send(HttpRequest.newBuilder(at(path)).GET());
  }

  private URI at(String path) {
    return URI.create(url + path);
  }

  private byte @Nullable [] send(HttpRequest.Builder request) {
    if (token != null) {
      request.header("authorization", "Bearer " + token);
    }
    HttpResponse<byte[]> response;
    try {
      response = http.send(request.timeout(PATIENCE).build(), BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new FailedException(
          "no gateway answers at %s (%s): start it, or name another with --url"
              .formatted(url, e.getClass().getSimpleName()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted", e);
    }
    return switch (response.statusCode()) {
      case 200, 202 -> response.body();
      case 404 -> null;
      case 401 ->
          throw new FailedException(
              "the gateway at %s refuses: %s. Use --token or set MAINSTAY_ADMIN_TOKEN"
                  .formatted(url, words(response.body())));
      default ->
          throw new FailedException(
              "the gateway at %s answered %d: %s"
                  .formatted(url, response.statusCode(), words(response.body())));
    };
  }

  private static String words(byte[] body) {
    try {
      return JsonMapper.shared().readTree(body).path("error").path("message").asString("no words");
    } catch (JacksonException e) {
      return "no words";
    }
  }

  private JsonNode json(byte[] body) {
    try {
      return JsonMapper.shared().readTree(body);
    } catch (JacksonException e) {
      throw new FailedException("the server at %s is not a Mainstay gateway".formatted(url), e);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
