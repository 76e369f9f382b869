package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of a text can be searched. */
class SearchWordsTest {
  @ParameterizedTest
  @CsvSource({
    "'Refund of ORDER_17, please!', refund of order 17 please",
    "'  Café in Kraków: 12 crêpes  ', cafe in krakow 12 crepes",
    "'ＦＵＬＬ ﬁt ½', full fit 1 2",
    "'見a東京b', 見 a 東 京 b",
    "'', ''",
    "'—…!', ''"
  })
  void lettersAndDigitsAreSmallAndWithoutAccents(String text, String words) {
    assertThat(SearchWords.of(text)).isEqualTo(words);
  }

  @Test
  void everyCharacterOfAsciiIsPartOfAWordOrEndsOne() {
    for (char c = 0; c < 128; c++) {
      assertThat(SearchWords.of("a" + c + "b"))
          .as("character %d", (int) c)
          .isEqualTo(Character.isLetterOrDigit(c) ? "a" + Character.toLowerCase(c) + "b" : "a b");
    }
  }

  @Test
  void ofALongWordTheFirstSixtyFourCharactersCount() {
    assertThat(SearchWords.of("X".repeat(100) + " y")).isEqualTo("x".repeat(64) + " y");
    assertThat(SearchWords.of("é".repeat(100))).isEqualTo("e".repeat(64));
  }

  @Test
  void ofALongTextTheFirstWordsCount() {
    assertThat(SearchWords.of("word ".repeat(20_000))).hasSizeBetween(65_530, 65_541);
  }
}
