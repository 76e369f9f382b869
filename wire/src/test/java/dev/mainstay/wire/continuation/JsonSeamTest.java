package dev.mainstay.wire.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonSeamTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        " [ ]",
        "{\"a\":1}",
        "{ \"a\" : [ 1 , -2.5E+10 , true , null , \"\\u00e9\\n\" , { } ] }",
        "\"x\"",
        "0",
        "-0.5",
        "1e9",
        "[[[[]]]]",
        "[0]"
      })
  void isOneValue(String text) {
    assertThat(JsonSeam.isWhole(text)).isTrue();
    for (int cut = 0; cut <= text.length(); cut++) {
      var seam = new JsonSeam();
      assertThat(seam.take(text.substring(0, cut))).isEqualTo(cut);
      assertThat(seam.broken()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{]",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{1:2}",
        "01",
        "1.",
        "-",
        "+1",
        "1e",
        "tru",
        "truth",
        "\"a\nb\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "{} {}",
        "[1 2]",
        "'a'",
        "[1}",
        "]"
      })
  void isNone(String text) {
    assertThat(JsonSeam.isWhole(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":1}", "[]", "\"x\"", "true"})
  void nothingFollowsACompleteValue(String text) {
    var seam = new JsonSeam();
    assertThat(seam.take(text + " and more")).isEqualTo(text.length());
    assertThat(seam.complete()).isTrue();
    assertThat(seam.take("x")).isZero();
  }

  @Test
  void nestingIsBounded() {
    var seam = new JsonSeam();
    assertThat(seam.take("[".repeat(10_000))).isEqualTo(512);
    assertThat(seam.broken()).isTrue();
  }
}
