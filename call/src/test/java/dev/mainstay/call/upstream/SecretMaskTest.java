package dev.mainstay.call.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys are found in whatever form and however they are cut; nothing else is touched. */
final class SecretMaskTest {
  private static final String KEY = "sk-proj-Abc0_123-xyzXYZ9876543210";

  private static SecretMask mask(String... keys) {
    return SecretMask.of(List.of(keys), Map.of());
  }

  private static String through(SecretMask mask, byte[] bytes, int... cuts) {
    var out = new ByteArrayOutputStream();
    var body = mask.body();
    int from = 0;
    for (int cut : cuts) {
      take(out, body.add(Unpooled.copiedBuffer(bytes, from, cut - from)));
      from = cut;
    }
    take(out, body.add(Unpooled.copiedBuffer(bytes, from, bytes.length - from)));
    take(out, body.end());
    return out.toString(UTF_8);
  }

  private static void take(ByteArrayOutputStream out, ByteBuf part) {
    while (part.isReadable()) {
      out.write(part.readByte());
    }
    part.release();
  }

  @Test
  void aKeyIsFoundWhereverTheBodyIsCut() {
    var text = "{\"message\":\"Incorrect key: " + KEY + ".\"," + KEY + KEY + "}";
    var clean = text.replace(KEY, "*".repeat(KEY.length()));
    var bytes = text.getBytes(UTF_8);
    for (int one = 0; one <= bytes.length; one++) {
      for (int two = one; two <= bytes.length; two++) {
        assertThat(through(mask(KEY), bytes, one, two)).isEqualTo(clean);
      }
    }
    var each = new int[bytes.length];
    for (int i = 0; i < each.length; i++) {
      each[i] = i;
    }
    assertThat(through(mask(KEY), bytes, each)).isEqualTo(clean);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        KEY,
        "AKIA/abc+def==/secret",
        "pass\"word\\with<all>&'signs'",
        "key with spaces 1"
      })
  void itIsFoundInEveryForm(String key) {
    var json = key.replace("\\", "\\\\").replace("\"", "\\\"");
    var forms =
        List.of(
            key,
            json,
            json.replace("/", "\\/"),
            json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
            URLEncoder.encode(key, UTF_8).replace("+", "%20").replace("*", "%2A"));
    for (var form : forms) {
      assertThat(through(mask(key), ("a " + form + " b").getBytes(UTF_8)))
          .isEqualTo("a " + "*".repeat(form.length()) + " b");
    }
    for (var before : List.of("", ":", "u:", "user:", "name@example:")) {
      for (var encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
        var form = encoder.encodeToString((before + key + ":").getBytes(UTF_8));
        var clean = through(mask(key), ("Basic " + form).getBytes(UTF_8));
        assertThat(clean).startsWith("Basic ").contains("*".repeat(key.length()));
        var decoded = clean.substring(6).replace('*', 'A');
        var decoder = form.matches(".*[-_].*") ? Base64.getUrlDecoder() : Base64.getDecoder();
        assertThat(new String(decoder.decode(decoded), UTF_8))
            .doesNotContain(key.substring(2, key.length() - 2));
      }
    }
  }

  /** As a search that is plainly right finds them, in texts that are made of pieces of keys. */
  @Test
  void itFindsWhatAPlainSearchFindsAndNothingElse() {
    var random = new Random(7);
    var keys = new String[] {KEY, "sk-proj-Abc0_123", "zzzzzzzzz", "abcabcabcd"};
    var mask = mask(keys);
    for (int round = 0; round < 20_000; round++) {
      var text = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        var key = keys[random.nextInt(keys.length)];
        int from = random.nextInt(3) == 0 ? random.nextInt(key.length()) : 0;
        int to = random.nextInt(3) == 0 ? from + random.nextInt(key.length() - from) : key.length();
        text.append(key, from, to).append(random.nextInt(3) == 0 ? " " : "");
      }
      var bytes = text.toString().getBytes(UTF_8);
      var once = through(mask, bytes);
      assertThat(once).hasSameSizeAs(text);
      for (int i = 0; i < once.length(); i++) {
        assertThat(once.charAt(i)).isIn('*', text.charAt(i));
      }
      for (var key : keys) {
        assertThat(once).doesNotContain(key);
      }
    }
  }

  @Test
  void ordinaryWordsAndBytesStay() {
    var bytes = new byte[1 << 16];
    new Random(3).nextBytes(bytes);
    var body = mask(KEY).body();
    var kept = body.add(Unpooled.copiedBuffer(bytes));
    assertThat(kept.readableBytes()).isGreaterThan(bytes.length - 100);
    kept.release();
    var local = mask("ollama", "lm-studio", "x", "");
    var text = "fp_ollama, lm-studio, x";
    assertThat(through(local, text.getBytes(UTF_8))).isEqualTo(text);
    assertThat(local.text(text)).isEqualTo(text);
  }

  @Test
  void headersCountAsKeysByTheirNames() {
    var mask =
        SecretMask.of(
            List.of(), Map.of("authorization", "Bearer in-a-header-1", "x-team", "blue-team-2026"));
    assertThat(mask.text("in-a-header-1 of blue-team-2026"))
        .isEqualTo("*************" + " of blue-team-2026");
  }

  /** What was cut off within a key is most of a key. */
  @Test
  void theBeginningOfAKeyAtTheEndIsMasked() {
    assertThat(through(mask(KEY), ("x " + KEY.substring(0, 25)).getBytes(UTF_8)))
        .isEqualTo("x " + "*".repeat(25));
    assertThat(through(mask(KEY), "tasks".getBytes(UTF_8))).isEqualTo("tasks");
  }
}
