package dev.mainstay.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LexiconTest {
  private static final Lexicon<Integer> ANY_CASE =
      Lexicon.ofAnyCase(Map.of("badgateway", 502, "ratelimiterror", 429));
  private static final Lexicon<Integer> EXACT =
      Lexicon.exactly(Map.of("NOT_FOUND", 404, "Internal", 500));

  @Test
  void aNameIsAWholeWordInTheCaseThatCounts() {
    assertThat(ANY_CASE.first("openai.RateLimitError: slow")).isEqualTo(429);
    assertThat(ANY_CASE.first("错误RateLimitError")).isEqualTo(429);
    assertThat(ANY_CASE.first("BADGATEWAY")).isEqualTo(502);
    assertThat(ANY_CASE.first("MyRateLimitErrors, BadGatewayy")).isNull();
    assertThat(EXACT.first("status: NOT_FOUND")).isEqualTo(404);
    assertThat(EXACT.first("status: not_found, internal, THIS_NOT_FOUND")).isNull();
    assertThat(EXACT.first("")).isNull();
  }

  @Test
  void theFirstThatMakesSenseCounts() {
    var text = "Internal NOT_FOUND Internal";
    assertThat(EXACT.first(text)).isEqualTo(500);
    assertThat(EXACT.first(text, (all, from, to) -> from > 0)).isEqualTo(404);
    assertThat(EXACT.first(text, (all, from, to) -> to == all.length())).isEqualTo(500);
  }

  @Test
  void agreesWithLookingUpEveryWord() {
    var random = new Random(11);
    var pieces = new String[] {"BadGateway", "rateLimitError", "bad", "x", " ", "_", ".", "é", "1"};
    for (int round = 0; round < 20_000; round++) {
      var text = new StringBuilder();
      for (int i = random.nextInt(8); i >= 0; i--) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      assertThat(ANY_CASE.first(text.toString()))
          .as("'%s'", text)
          .isEqualTo(naive(text.toString()));
    }
  }

  private static @Nullable Integer naive(String text) {
    for (var word : text.split("[^A-Za-z]+")) {
      switch (word.toLowerCase(Locale.ROOT)) {
        case "badgateway" -> {
          return 502;
        }
        case "ratelimiterror" -> {
          return 429;
        }
        default -> {}
      }
    }
    return null;
  }
}
