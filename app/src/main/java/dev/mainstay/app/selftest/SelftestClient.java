package dev.mainstay.app.selftest;

import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.error.ProviderError;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.Replies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks one question in one dialect and reads strictly what comes. Thread-safe. */
final class SelftestClient implements AutoCloseable {
  /** Far beyond what any trial takes with its shortened timeouts. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  ClientResult ask(String address, Api api, String model, boolean stream)
      throws InterruptedException {
    long began = System.nanoTime();
    var request =
        HttpRequest.newBuilder(URI.create(address + path(api, model, stream)))
            .timeout(PATIENCE)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body(api, model, stream)))
            .build();
    try {
      var response = http.send(request, BodyHandlers.ofByteArray());
      var took = Duration.ofNanos(System.nanoTime() - began);
      int status = response.statusCode();
      if (status >= 300) {
        return new ClientResult(status, false, false, "", message(response.body()), took);
      }
      return read(dialect(api), stream, status, response.body(), took);
    } catch (IOException e) {
      return new ClientResult(
          0,
          false,
          false,
          "",
          "no answer: " + e.getMessage(),
          Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private static ClientResult read(
      Dialect dialect, boolean stream, int status, byte[] body, Duration took) {
    var reader = Replies.reader(dialect);
    var deltas = new ArrayList<Delta>();
    var error = new String[1];
    try {
      if (stream) {
        new SseScanner()
            .feed(
                body,
                0,
                body.length,
                event -> {
                  if (event.hasData() && isError(event.dataText(), event.name())) {
                    error[0] = message(event.dataText().getBytes(StandardCharsets.UTF_8));
                    return false;
                  }
                  deltas.addAll(reader.read(event));
                  return true;
                });
        if (error[0] == null) {
          deltas.addAll(reader.close());
        }
      } else {
        deltas.addAll(reader.whole(body));
      }
    } catch (MalformedReplyException e) {
      error[0] = "an answer that cannot be read";
    }
    boolean ended = deltas.stream().anyMatch(Delta.End.class::isInstance);
    return new ClientResult(
        status,
        ended && error[0] == null,
        deltas.stream().anyMatch(SelftestClient::refuses),
        said(deltas),
        error[0],
        took);
  }

  private static boolean refuses(Delta delta) {
    return delta instanceof Delta.Finished finished
        && (finished.ending() == Delta.Ending.CONTENT_FILTER
            || finished.ending() == Delta.Ending.REFUSAL);
  }

  private static boolean isError(String data, String name) {
    return name.equals("error")
        || data.startsWith("{\"error\"")
        || data.startsWith("{\"type\":\"error\"");
  }

  private static String message(byte[] body) {
    var said = ProviderError.read(new String(body, StandardCharsets.UTF_8));
    return String.valueOf(said.message());
  }

  private static String said(List<Delta> deltas) {
    var text = new StringBuilder();
    for (var delta : deltas) {
      switch (delta) {
        case Delta.Text(_, var more) -> text.append(more);
        case Delta.ToolCall call -> text.append("\n[").append(call.name()).append("] ");
        case Delta.Arguments(_, _, var more) -> text.append(more);
        default -> {}
      }
    }
    return text.toString();
  }

  private static Dialect dialect(Api api) {
    return switch (api) {
      case OPENAI -> Dialect.OPENAI_CHAT;
      case MISTRAL -> Dialect.MISTRAL;
      case ANTHROPIC -> Dialect.ANTHROPIC;
      case GEMINI -> Dialect.GEMINI;
    };
  }

  static String path(Api api, String model, boolean stream) {
    return switch (api) {
      case OPENAI, MISTRAL -> "/v1/chat/completions";
      case ANTHROPIC -> "/v1/messages";
      case GEMINI ->
          "/v1beta/models/"
              + model.replace("/", "%2F")
              + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
    };
  }

  /** A question with a tool, in each dialect. */
  private static String body(Api api, String model, boolean stream) {
    var schema =
        "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},"
            + "\"required\":[\"city\"]}";
    return switch (api) {
      case OPENAI, MISTRAL ->
          """
          {"model":"%s","stream":%s,"temperature":0.5,"messages":[{"role":"user","content":"How did it go?"}],\
          "tools":[{"type":"function","function":{"name":"get_weather","parameters":%s}}]}\
          """
              .formatted(model, stream, schema);
      case ANTHROPIC ->
          """
          {"model":"%s","stream":%s,"max_tokens":512,"messages":[{"role":"user","content":"How did it go?"}],\
          "tools":[{"name":"get_weather","input_schema":%s}]}\
          """
              .formatted(model, stream, schema);
      case GEMINI ->
          """
          {"contents":[{"role":"user","parts":[{"text":"How did it go?"}]}],\
          "tools":[{"functionDeclarations":[{"name":"get_weather","parameters":%s}]}]}\
          """
              .formatted(schema);
    };
  }

  @Override
  public void close() {
    http.close();
  }

  /** Nothing of {@code seen} but its text is the same in two runs. */
  static boolean sameAnswer(@Nullable ClientResult one, ClientResult other) {
    return one != null && one.whole() && other.whole() && one.text().equals(other.text());
  }
}
