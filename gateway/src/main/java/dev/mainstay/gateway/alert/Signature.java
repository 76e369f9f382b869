package dev.mainstay.gateway.alert;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.config.Secret;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs a delivery, so that its receiver knows who sent it, and when. */
final class Signature {
  private static final String ALGORITHM = "HmacSHA256";

  private Signature() {}

  /** {@code sha256=} and the hex of HMAC-SHA256 over {@code timestamp.body}. */
  static String of(Secret secret, long timestamp, String body) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.value().getBytes(UTF_8), ALGORITHM));
      mac.update((timestamp + ".").getBytes(UTF_8));
      return "sha256=" + HexFormat.of().formatHex(mac.doFinal(body.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
