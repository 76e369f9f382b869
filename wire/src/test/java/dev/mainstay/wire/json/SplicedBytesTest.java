package dev.mainstay.wire.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.json.ByteSpan.Replacement;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplicedBytesTest {

  @Test
  void untouchedBytesAreNotCopied() {
    byte[] body = {1, 2, 3};
    var spliced = new SplicedBytes(body, List.of());
    assertThat(spliced.bytes()).isSameAs(body);
    assertThat(spliced.length()).isEqualTo(3);
    assertThat(joined(spliced)).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void piecesAndTheWholeAreWhatReplacingTextGives(long seed) {
    var random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      var text = letters(random, random.nextInt(40));
      var expected = new StringBuilder();
      var replacements = new ArrayList<Replacement>();
      int from = 0;
      for (int left = random.nextInt(4); left > 0; left--) {
        int start = from + random.nextInt(text.length() - from + 1);
        int end = start + random.nextInt(text.length() - start + 1);
        var with = letters(random, random.nextInt(6));
        replacements.add(new Replacement(new ByteSpan(start, end), with.getBytes(ISO_8859_1)));
        expected.append(text, from, start).append(with);
        from = end;
      }
      expected.append(text, from, text.length());

      var spliced = new SplicedBytes(text.getBytes(ISO_8859_1), replacements);
      byte[] whole = expected.toString().getBytes(ISO_8859_1);
      assertThat(joined(spliced)).isEqualTo(whole);
      assertThat(spliced.length()).isEqualTo(whole.length);
      assertThat(spliced.bytes()).isEqualTo(whole);
    }
  }

  @Test
  void replacementsThatOverlapAreRefused() {
    var one = new Replacement(new ByteSpan(1, 4), new byte[0]);
    var two = new Replacement(new ByteSpan(3, 5), new byte[0]);
    assertThatThrownBy(() -> new SplicedBytes(new byte[9], List.of(one, two)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new SplicedBytes(new byte[3], List.of(one)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] joined(SplicedBytes spliced) {
    var out = new ByteArrayOutputStream();
    spliced.pieces(
        (piece, from, to) -> {
          assertThat(to).isGreaterThan(from);
          out.write(piece, from, to - from);
        });
    return out.toByteArray();
  }

  private static String letters(Random random, int length) {
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }
}
