package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Posts JSON to somebody's webhook, signed, so that its receiver knows who sent it and when: {@code
 * x-mainstay-signature} is {@code sha256=} and the hex of HMAC-SHA256 over {@code timestamp.body},
 * {@code x-mainstay-timestamp} is in seconds since 1970, and {@code x-mainstay-delivery} is the same
 * for every try. Blocks; has a client of its own, made when it is first needed. Thread-safe.
 */
public final class SignedPost implements AutoCloseable {
  /** How long connecting may take, and then the head of the answer. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final String ALGORITHM = "HmacSHA256";

  private final InstantSource clock;
  private @Nullable HttpClient client;

  public SignedPost(InstantSource clock) {
    this.clock = clock;
  }

  /** Most processes never need it, and it takes a while. */
  private synchronized HttpClient client() {
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

  /**
   * Makes one try.
   *
   * @param secret what signs it, or null: it goes unsigned
   * @param delivery identifies what is delivered
   * @return null where a 2xx says that it has arrived, else why it has not, in words
   * @throws InterruptedException when the calling thread was interrupted
   */
  public @Nullable String send(URI url, @Nullable String secret, String delivery, String body)
      throws InterruptedException {
    try {
      var answer =
          client()
              .send(
                  request(url, secret, delivery, body), HttpResponse.BodyHandlers.ofInputStream());
      // The time limit ends with the head: a body that never ends would hold the others up.
      answer.body().close();
      int status = answer.statusCode();
      return status >= 200 && status < 300 ? null : "the webhook answered " + status;
    } catch (HttpTimeoutException e) {
      return "the webhook did not answer within %d s".formatted(PATIENCE.toSeconds());
    } catch (ConnectException e) {
      return "the webhook cannot be reached: nothing answers at its address";
    } catch (IOException e) {
      var why = e.getMessage();
      return "the webhook cannot be reached: " + (why == null ? e.getClass().getSimpleName() : why);
    } catch (RuntimeException e) {
      // One delivery, or one receiver, must not keep all others waiting.
      return "it cannot be sent (" + e.getClass().getSimpleName() + ")";
    }
  }

  private HttpRequest request(URI url, @Nullable String secret, String delivery, String body) {
    long timestamp = clock.instant().getEpochSecond();
    var request =
        HttpRequest.newBuilder(url)
            .timeout(PATIENCE)
            .header("content-type", "application/json")
            .header("user-agent", "mainstay")
            .header("x-mainstay-delivery", delivery)
            .header("x-mainstay-timestamp", Long.toString(timestamp))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (secret != null) {
      request.header("x-mainstay-signature", signature(secret, timestamp, body));
    }
    return request.build();
  }

  private static String signature(String secret, long timestamp, String body) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), ALGORITHM));
      mac.update((timestamp + ".").getBytes(UTF_8));
      return "sha256=" + HexFormat.of().formatHex(mac.doFinal(body.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public synchronized void close() {
    if (client != null) {
      client.shutdownNow();
    }
  }
}
