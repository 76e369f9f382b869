package dev.mainstay.agent.tool;

import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.wire.json.Tree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Tools that are HTTP endpoints. A 2xx is the result, a 4xx is an error that the model is told;
 * 408, 429, 5xx, timeouts and lost connections are failures. A refused connection never happened.
 * An interrupt of the calling thread closes the connection to the tool.
 */
public final class HttpToolCaller implements ToolCaller, AutoCloseable {
  private final Headers headers;

  // Made by the first call: its trust store alone is a tenth of a gateway's start.
  private @Nullable HttpClient client;
  private boolean closed;

  /** The headers of requests to tools: secrets, which no journal holds. */
  @FunctionalInterface
  public interface Headers {
    Headers NONE = (agent, tool, url) -> Map.of();

    /** What the configuration has for this tool of this agent at exactly this URL, or nothing. */
    Map<String, String> of(String agent, String tool, String url);
  }

  public HttpToolCaller(Headers headers) {
    this.headers = headers;
  }

  private record Answer(int status, String body) {}

  @Override
  public Outcome call(ToolDefinition tool, Call call) throws InterruptedException {
    if (!(tool.binding() instanceof ToolDefinition.Binding.Http http)) {
      throw new IllegalArgumentException(tool.name() + " is no HTTP tool");
    }
    var known = headers.of(call.agent(), tool.name(), http.url());
    if (!known.keySet().containsAll(http.headers())) {
      return new Outcome.Failed(
          "no_headers",
          "the configuration no longer has this tool's headers for " + http.url(),
          false);
    }
    var body =
        Tree.object()
            .put("run", call.run())
            .put("step", call.step())
            .put("key", call.key())
            .set("arguments", Tree.read(call.arguments()));
    var request =
        request(http.url(), http.url(), tool, call)
            .header("content-type", "application/json")
            .header("idempotency-key", call.key())
            .method(http.method(), HttpRequest.BodyPublishers.ofString(Tree.write(body)));
    try {
      return outcome(send(request.build(), tool.calls().timeoutMs(), call.memory()));
    } catch (HttpConnectTimeoutException e) {
      return new Outcome.Failed("connection_timeout", "no connection within 3 s", false);
    } catch (HttpTimeoutException e) {
      return new Outcome.Failed(
          "timeout", "no answer within " + tool.calls().timeoutMs() + " ms", null);
    } catch (ConnectException e) {
      return new Outcome.Failed("connection_refused", "the connection was refused", false);
    } catch (SSLHandshakeException e) {
      return new Outcome.Failed("tls_handshake", "the TLS handshake failed", false);
    } catch (IOException e) {
      return new Outcome.Failed(
          "connection_reset", "the connection was lost: " + e.getClass().getSimpleName(), null);
    }
  }

  private static Outcome outcome(Answer answer) {
    int status = answer.status();
    if (status >= 200 && status < 300) {
      return new Outcome.Succeeded(answer.body());
    }
    if (status == 408 || status == 429 || status >= 500) {
      return new Outcome.Failed(
          status == 429 ? "rate_limit" : "server_error", "status " + status, null);
    }
    return new Outcome.Refused("status " + status + ": " + answer.body());
  }

  @Override
  public Reconciled reconcile(ToolDefinition tool, Call call) throws InterruptedException {
    var url = tool.reconcile();
    if (url == null) {
      return new Reconciled.Unknown("the tool has no reconcile request");
    }
    var key = URLEncoder.encode(call.key(), StandardCharsets.UTF_8);
    var request = request(url.replace("{key}", key), url, tool, call).GET().build();
    try {
      var answer = send(request, tool.calls().timeoutMs(), call.memory());
      return switch (answer.status()) {
        case 200 -> new Reconciled.Happened(answer.body());
        case 404 -> new Reconciled.NeverHappened();
        default -> new Reconciled.Unknown("status " + answer.status());
      };
    } catch (IOException e) {
      return new Reconciled.Unknown(e.getClass().getSimpleName());
    }
  }

  private HttpRequest.Builder request(String url, String declared, ToolDefinition tool, Call call) {
    var request = HttpRequest.newBuilder(URI.create(url));
    headers.of(call.agent(), tool.name(), declared).forEach(request::header);
    return request;
  }

  /** The time limit holds for the body too, which the client's own does not. */
  private Answer send(HttpRequest request, long timeoutMs, ResultMemory.Hold memory)
      throws IOException, InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    var sent = client().sendAsync(request, info -> HttpResponse.BodySubscribers.ofInputStream());
    try (var reader = Executors.newVirtualThreadPerTaskExecutor()) {
      var response = sent.get(timeoutMs, TimeUnit.MILLISECONDS);
      // Closing the stream closes the connection, and ends a reader that waits for bytes.
      try (var in = response.body()) {
        var text = reader.submit(() -> read(in, memory));
        try {
          return new Answer(response.statusCode(), within(text, until));
        } finally {
          in.close();
          text.cancel(true);
        }
      }
    } catch (TimeoutException e) {
      throw new HttpTimeoutException("timeout");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } finally {
      sent.cancel(true);
    }
  }

  private static String within(Future<String> text, long until)
      throws InterruptedException, ExecutionException, TimeoutException {
    return text.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private static String read(InputStream in, ResultMemory.Hold memory)
      throws IOException, InterruptedException {
    var bytes = new ByteArrayOutputStream();
    bytes.write(in.readNBytes(ResultMemory.FREE));
    if (bytes.size() < ResultMemory.FREE) {
      return ToolText.of(bytes);
    }
    memory.grow();
    bytes.write(in.readNBytes(ResultMemory.MOST_RESULT - bytes.size()));
    return in.read() < 0 ? ToolText.of(bytes) : ToolText.of(bytes) + ToolText.CUT;
  }

  private synchronized HttpClient client() throws IOException {
    if (closed) {
      throw new IOException("Mainstay is stopping");
    }
    if (client == null) {
      client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(Duration.ofSeconds(3))
              .followRedirects(HttpClient.Redirect.NEVER)
              .build();
    }
    return client;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (client != null) {
      client.shutdownNow();
    }
  }
}
