package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ToolIdsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "call_9pw1qnlScqvGrCH58HWCvFH6",
        "toolu_01A09q90qw90lq917835lq9",
        "functions.get_weather:0",
        "chatcmpl-tool-0123456789abcdef0123456789abcdef",
        "D681PevKs",
        "天気",
        "mst-not base64",
        "x"
      })
  void everyDialectAcceptsWhatIsFittedToIt(String id) {
    for (var dialect : Dialect.values()) {
      var fitted = ToolIds.fit(dialect, id);
      assertThat(ToolIds.accepts(dialect, fitted)).as("%s in %s", fitted, dialect).isTrue();
      assertThat(ToolIds.fit(dialect, id)).isEqualTo(fitted);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "OPENAI_CHAT, ANTHROPIC, functions.get_weather:0",
    "GEMINI, ANTHROPIC, 天気",
    "ANTHROPIC, OPENAI_CHAT, toolu_01A09q90qw90lq917835lq9",
    "MISTRAL, ANTHROPIC, D681PevKs",
    "MISTRAL, OPENAI_RESPONSES, D681PevKs",
    "GEMINI, OPENAI_RESPONSES, function-call-1234567890"
  })
  void itComesBackAsItWas(Dialect provider, Dialect client, String id) {
    assertThat(ToolIds.fit(provider, ToolIds.fit(client, id))).isEqualTo(id);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void oneIsMadeUpTheSameEveryTime(Dialect dialect) {
    var id = ToolIds.invent(dialect, "resp-1", 0, 1);
    assertThat(ToolIds.accepts(dialect, id)).isTrue();
    assertThat(ToolIds.invent(dialect, "resp-1", 0, 1)).isEqualTo(id);
    assertThat(ToolIds.invent(dialect, "resp-1", 0, 2)).isNotEqualTo(id);
    assertThat(ToolIds.invent(dialect, "resp-2", 0, 1)).isNotEqualTo(id);
    assertThat(ToolIds.invented(id)).isEqualTo(dialect != Dialect.MISTRAL);
  }
}
