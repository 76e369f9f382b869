package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.http.HttpRequest;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Posts JSON to somebody's webhook, signed, so that its receiver knows who sent it and when: {@code
 * x-mainstay-signature} is {@code sha256=} and the hex of HMAC-SHA256 over {@code timestamp.body},
 * {@code x-mainstay-timestamp} is in seconds since 1970, and {@code x-mainstay-delivery} is the
 * same for every try. Blocks. Thread-safe.
 */
public record SignedPost(HttpPost http, InstantSource clock) {
  private static final String ALGORITHM = "HmacSHA256";

  /**
   * Makes one try.
   *
   * @param secret what signs it, or null: it goes unsigned
   * @param delivery identifies what is delivered
   * @return null where a 2xx says that it has arrived, else why it has not, in words
   * @throws InterruptedException when the calling thread was interrupted
   * @throws IllegalArgumentException when {@code url} is no HTTP URL
   */
  public @Nullable String send(URI url, @Nullable String secret, String delivery, String body)
      throws InterruptedException {
    long timestamp = clock.instant().getEpochSecond();
    var request =
        HttpRequest.newBuilder(url)
            .header("x-mainstay-delivery", delivery)
            .header("x-mainstay-timestamp", Long.toString(timestamp))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (secret != null) {
      request.header("x-mainstay-signature", signature(secret, timestamp, body));
    }
    return http.send(request, "the webhook");
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
}
