package dev.mainstay.app.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.app.demo.Received.Ending;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client that retries by status, as the official OpenAI SDKs do: two retries after the first
 * request, on 408, 409, 429, 5xx and lost connections, {@code x-should-retry} obeyed, waits as told
 * up to a minute and else from half a second doubling to eight; once a stream has begun it is never
 * retried. From <a
 * href="https://github.com/openai/openai-python/blob/main/src/openai/_base_client.py">openai-python's
 * _base_client.py</a>, without its jitter, so that two runs are alike.
 *
 * <p>Waits are counted and not slept, and so is the patience of a client whose provider is silent:
 * the demo would take half an hour.
 */
final class PlainClient implements AutoCloseable {
  /** The one tool the program has. */
  private static final String TOOL = "get_weather";

  private static final int RETRIES = 2;
  private static final Duration FIRST_WAIT = Duration.ofMillis(500);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(8);
  private static final Duration LONGEST_OBEYED = Duration.ofSeconds(60);

  /** The SDKs' own timeout, after which they give a silent provider up. */
  private static final Duration SDK_TIMEOUT = Duration.ofMinutes(10);

  private static final JsonMapper JSON = JsonMapper.shared();

  private final HttpClient http;
  private final URI chat;
  private final String key;
  // Stands for SDK_TIMEOUT: how long is really waited.
  private final Duration patience;

  PlainClient(String baseUrl, String key, Duration patience) {
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    chat = URI.create(baseUrl + "/chat/completions");
    this.key = key;
    this.patience = patience;
  }

  /** Asks, retries, and tells what the program that asked is left with. */
  Received ask(String model, boolean stream) throws InterruptedException {
    long began = System.nanoTime();
    var counted = Duration.ZERO;
    for (int request = 1; ; request++) {
      var once = once(model, stream);
      counted = counted.plus(once.counted());
      if (request > RETRIES || !once.retry()) {
        return new Received(
            once.ending(),
            once.text(),
            once.status(),
            request,
            Duration.ofNanos(System.nanoTime() - began).plus(counted),
            once.call());
      }
      counted = counted.plus(wait(once.told(), request));
    }
  }

  private static Duration wait(@Nullable Duration told, int request) {
    if (told != null && told.isPositive() && told.compareTo(LONGEST_OBEYED) <= 0) {
      return told;
    }
    var wait = FIRST_WAIT.multipliedBy(1L << (request - 1));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  /** One request and what came of it. */
  private record Exchange(
      Ending ending,
      String text,
      @Nullable Integer status,
      boolean retry,
      @Nullable Duration told,
      Duration counted,
      @Nullable String call) {}

  private Exchange once(String model, boolean stream) throws InterruptedException {
    var body = JSON.createObjectNode().put("model", model).put("stream", stream);
    body.putArray("messages").addObject().put("role", "user").put("content", "How did it go?");
    var function = body.putArray("tools").addObject().put("type", "function").putObject("function");
    function.put("name", TOOL).putObject("parameters").put("type", "object");
    var request =
        HttpRequest.newBuilder(chat)
            .timeout(patience)
            .header("authorization", "Bearer " + key)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body.toString()))
            .build();
    try {
      var response = http.send(request, BodyHandlers.ofInputStream());
      try (var in = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
        if (response.statusCode() >= 400) {
          return refused(response, read(in));
        }
        return stream ? streamed(response, in) : whole(response, read(in));
      } catch (IOException e) {
        // The SDKs read a whole answer before they return: there it is a lost connection like any
        // other. A stream has been handed over by then.
        return lost(stream ? (Integer) response.statusCode() : null, !stream, e);
      }
    } catch (java.net.http.HttpTimeoutException e) {
      return new Exchange(
          Ending.ERROR,
          "no answer within " + SDK_TIMEOUT.toMinutes() + " minutes",
          null,
          true,
          null,
          SDK_TIMEOUT.minus(patience),
          null);
    } catch (IOException e) {
      return lost(null, true, e);
    }
  }

  private static Exchange lost(@Nullable Integer status, boolean retry, IOException e) {
    var words = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return new Exchange(
        Ending.ERROR, "connection lost: " + words, status, retry, null, Duration.ZERO, null);
  }

  private static Exchange refused(HttpResponse<?> response, String body) {
    int status = response.statusCode();
    var asked = response.headers().firstValue("x-should-retry").orElse("");
    boolean retry =
        switch (asked) {
          case "true" -> true;
          case "false" -> false;
          default -> status == 408 || status == 409 || status == 429 || status >= 500;
        };
    return new Exchange(
        Ending.ERROR, message(body), status, retry, told(response), Duration.ZERO, call(response));
  }

  private static @Nullable Duration told(HttpResponse<?> response) {
    var millis = response.headers().firstValue("retry-after-ms");
    if (millis.isPresent()) {
      return Duration.ofMillis(Math.round(Double.parseDouble(millis.get())));
    }
    return response
        .headers()
        .firstValue("retry-after")
        .map(seconds -> Duration.ofMillis(Math.round(Double.parseDouble(seconds) * 1000)))
        .orElse(null);
  }

  private static Exchange whole(HttpResponse<?> response, String body) {
    var text = parsed(body).at("/choices/0/message/content").asString("");
    return new Exchange(
        text.isEmpty() ? Ending.FALSE_ANSWER : Ending.ANSWER,
        text.isEmpty() ? message(body) : text,
        response.statusCode(),
        false,
        null,
        Duration.ZERO,
        call(response));
  }

  private static Exchange streamed(HttpResponse<?> response, BufferedReader in) throws IOException {
    var text = new StringBuilder();
    boolean finished = false;
    String tool = "";
    String line;
    while ((line = in.readLine()) != null) {
      if (line.startsWith("data: {")) {
        var event = parsed(line.substring("data: ".length()));
        if (event.has("error")) {
          return new Exchange(
              Ending.ERROR,
              message(event.toString()),
              response.statusCode(),
              false,
              null,
              Duration.ZERO,
              call(response));
        }
        text.append(event.at("/choices/0/delta/content").asString(""));
        var call = event.at("/choices/0/delta/tool_calls/0/function/name").asString("");
        if (!call.isEmpty()) {
          tool = call;
        }
        finished |= event.at("/choices/0/finish_reason").isString();
      }
    }
    // An SDK's loop over the events ends here without a word, whether the answer had or not.
    // A tool that the program does not have is an exception in the middle of its work.
    boolean called = tool.isEmpty() || tool.equals(TOOL);
    if (!tool.isEmpty()) {
      text.append(called ? "calls " + tool : "calls " + tool + ", which does not exist");
    }
    return new Exchange(
        finished && called && !text.isEmpty() ? Ending.ANSWER : Ending.FALSE_ANSWER,
        text.toString(),
        response.statusCode(),
        false,
        null,
        Duration.ZERO,
        call(response));
  }

  private static String read(BufferedReader in) throws IOException {
    var all = new StringBuilder();
    var buffer = new char[4096];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      all.append(buffer, 0, n);
    }
    return all.toString();
  }

  private static String message(String body) {
    var message = parsed(body).at("/error/message").asString("");
    return message.isEmpty() ? body.strip() : message;
  }

  private static JsonNode parsed(String body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      return JSON.createObjectNode();
    }
  }

  private static @Nullable String call(HttpResponse<?> response) {
    return response.headers().firstValue("x-mainstay-call").orElse(null);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
