package dev.mainstay.http;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Posts JSON to a webhook. Blocks; its HTTP client is used for nothing else. Thread-safe. */
public final class HttpPost implements AutoCloseable {
  /** How long a receiver may take to connect, and to answer: 10 s each. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private volatile @Nullable HttpClient client;

  /**
   * Posts it.
   *
   * @param receiver what to call the other side, in words
   * @return null where it has arrived, else why it has not
   */
  public @Nullable String send(HttpRequest.Builder request, String receiver)
      throws InterruptedException {
    try {
      var answer =
          client()
              .send(
                  request
                      .timeout(PATIENCE)
                      .header("content-type", "application/json")
                      .header("user-agent", "mainstay")
                      .build(),
                  HttpResponse.BodyHandlers.ofInputStream());
      // The time limit ends with the head: a body that never ends would hold the others up.
      answer.body().close();
      int status = answer.statusCode();
      return status >= 200 && status < 300 ? null : receiver + " answered " + status;
    } catch (HttpTimeoutException e) {
      return "%s did not answer within %d s".formatted(receiver, PATIENCE.toSeconds());
    } catch (ConnectException e) {
      return receiver + " cannot be reached: nothing answers at its address";
    } catch (IOException e) {
      var why = e.getMessage();
      return receiver + " cannot be reached: " + (why == null ? e.getClass().getSimpleName() : why);
    }
  }

  /** Made when there is something to send: most processes never need it, and it takes a while. */
  private HttpClient client() {
    var known = client;
    if (known == null) {
      known =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(PATIENCE)
              .followRedirects(HttpClient.Redirect.NEVER)
              .build();
      client = known;
    }
    return known;
  }

  @Override
  public void close() {
    var known = client;
    if (known != null) {
      known.shutdownNow();
    }
  }
}
