package dev.mainstay.agent.tool;

import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Tools that are HTTP endpoints. A 2xx is the result, a 4xx is an error that the model is told;
 * 408, 429, 5xx, timeouts and lost connections are failures. A refused connection never happened.
 */
public final class HttpToolCaller implements ToolCaller, AutoCloseable {
  /** The most that is read of a result. */
  static final int MOST_RESULT = 16 << 20;

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(3))
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  private final Function<String, Map<String, String>> headers;

  /**
   * @param headers the headers that the configuration has for a tool, by the tool's URL
   */
  public HttpToolCaller(Function<String, Map<String, String>> headers) {
    this.headers = headers;
  }

  private record Answer(int status, String body) {}

  @Override
  public Outcome call(ToolDefinition tool, Call call) throws InterruptedException {
    if (!(tool.binding() instanceof ToolDefinition.Binding.Http http)) {
      throw new IllegalArgumentException(tool.name() + " is no HTTP tool");
    }
    var body =
        Tree.object()
            .put("run", call.run())
            .put("step", call.step())
            .put("key", call.key())
            .set("arguments", Tree.read(call.arguments()));
    var request =
        request(http.url(), tool)
            .header("content-type", "application/json")
            .header("idempotency-key", call.key())
            .method(http.method(), HttpRequest.BodyPublishers.ofString(Tree.write(body)));
    try {
      var answer = send(request.build(), tool.timeoutMs());
      int status = answer.status();
      if (status >= 200 && status < 300) {
        return new Outcome.Succeeded(answer.body());
      }
      if (status == 408 || status == 429 || status >= 500) {
        return new Outcome.Failed(
            status == 429 ? "rate_limit" : "server_error", "status " + status, null);
      }
      return new Outcome.Refused("status " + status + ": " + answer.body());
    } catch (ConnectException e) {
      return new Outcome.Failed("connection_refused", "the connection was refused", false);
    } catch (HttpTimeoutException e) {
      return new Outcome.Failed("timeout", "no answer within " + tool.timeoutMs() + " ms", null);
    } catch (IOException e) {
      return new Outcome.Failed(
          "connection_reset", "the connection was lost: " + e.getClass().getSimpleName(), null);
    }
  }

  @Override
  public Reconciled reconcile(ToolDefinition tool, Call call) throws InterruptedException {
    var url = tool.reconcile();
    if (url == null) {
      return new Reconciled.Unknown("the tool has no reconcile request");
    }
    var key = URLEncoder.encode(call.key(), StandardCharsets.UTF_8);
    try {
      var answer = send(request(url.replace("{key}", key), tool).GET().build(), tool.timeoutMs());
      return switch (answer.status()) {
        case 200 -> new Reconciled.Happened(answer.body());
        case 404 -> new Reconciled.NeverHappened();
        default -> new Reconciled.Unknown("status " + answer.status());
      };
    } catch (IOException e) {
      return new Reconciled.Unknown(e.getClass().getSimpleName());
    }
  }

  private HttpRequest.Builder request(String url, ToolDefinition tool) {
    var request = HttpRequest.newBuilder(URI.create(url));
    headers.apply(tool.name()).forEach(request::header);
    return request;
  }

  /** The time limit holds for the body too, which the client's own does not. */
  private Answer send(HttpRequest request, long timeoutMs)
      throws IOException, InterruptedException {
    var sent = client.sendAsync(request, info -> HttpResponse.BodySubscribers.ofInputStream());
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    try {
      var response = sent.get(timeoutMs, TimeUnit.MILLISECONDS);
      try (var in = response.body()) {
        return new Answer(response.statusCode(), read(in, until));
      }
    } catch (TimeoutException e) {
      throw new HttpTimeoutException("timeout");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (CancellationException e) {
      throw new IOException(e);
    } finally {
      sent.cancel(true);
    }
  }

  private static String read(InputStream in, long until) throws IOException {
    // A reader that waits for bytes is ended by closing the stream.
    var timer =
        Thread.startVirtualThread(
            () -> {
              try {
                TimeUnit.NANOSECONDS.sleep(Math.max(1, until - System.nanoTime()));
                in.close();
              } catch (InterruptedException | IOException e) {
                // Read in time, or closed already.
              }
            });
    try {
      byte[] bytes = in.readNBytes(MOST_RESULT);
      if (System.nanoTime() >= until) {
        throw new HttpTimeoutException("timeout");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } finally {
      timer.interrupt();
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
