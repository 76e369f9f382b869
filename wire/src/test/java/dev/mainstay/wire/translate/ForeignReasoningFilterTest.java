package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ForeignReasoningFilterTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "ANTHROPIC ! {\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\",\"signature\":\"MARK\"},{\"type\":\"text\",\"text\":\"b\",\"citations\":[{\"encrypted_index\":\"MARK\"}]}]}]} ! {\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}]}",
        "ANTHROPIC ! {\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"redacted_thinking\",\"data\":\"MARK\"}]}]} ! {\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}",
        "OPENAI_RESPONSES ! {\"input\":[{\"type\":\"reasoning\",\"encrypted_content\":\"MARK\"},{\"type\":\"message\"}]} ! {\"input\":[{\"type\":\"message\"}]}",
        "GEMINI ! {\"contents\":[{\"parts\":[{\"thought\":true,\"text\":\"\",\"thoughtSignature\":\"MARK\"},{\"text\":\"a\",\"thoughtSignature\":\"MARK\"}]}]} ! {\"contents\":[{\"parts\":[{\"text\":\"a\"}]}]}",
        "OPENAI_CHAT ! {\"messages\":[{\"content\":\"a\",\"reasoning_details\":[{\"data\":\"MARK\"}]}]} ! {\"messages\":[{\"content\":\"a\"}]}"
      })
  void whatAnotherDialectLeftIsTakenOut(Dialect dialect, String request, String without) {
    var body = request.replace("MARK", Seals.none()).getBytes(StandardCharsets.UTF_8);
    assertThat(ForeignReasoningFilter.without(dialect, body))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo(without);
  }

  @Test
  void theMarkIsFoundWhereverItIs() {
    for (int before = 0; before < 40; before++) {
      for (int after = 0; after < 15; after++) {
        var text = "b".repeat(before) + Seals.MARK + "n".repeat(after);
        assertThat(ForeignReasoningFilter.in(text.getBytes(StandardCharsets.US_ASCII))).isTrue();
        assertThat(
                ForeignReasoningFilter.in(
                    text.replace("6", "7").getBytes(StandardCharsets.US_ASCII)))
            .isFalse();
      }
    }
  }

  @Test
  void aProvidersOwnSealIsNotTouched() {
    var body =
        "{\"messages\":[{\"content\":[{\"type\":\"thinking\",\"signature\":\"EqQBCgIYAhIM\"}]}] }"
            .getBytes(StandardCharsets.UTF_8);
    assertThat(ForeignReasoningFilter.in(body)).isFalse();
    assertThat(ForeignReasoningFilter.without(Dialect.ANTHROPIC, body)).isSameAs(body);
  }

  @Test
  void aSealComesThroughAnotherDialectAsItWas() {
    for (var dialect : List.of(Dialect.ANTHROPIC, Dialect.GEMINI, Dialect.OPENAI_RESPONSES)) {
      var seal = new Delta.ReasoningSeal(0, dialect, Tree.array().add("ÄÖ?>~=").get(0));
      var text = Seals.carry(seal, true);
      var carried = Objects.requireNonNull(Seals.read(text));
      assertThat(carried.seal(0)).isEqualTo(seal);
      assertThat(carried.ofCall()).isTrue();
      assertThat(Seals.read(text.replace('+', '-').replace('/', '_'))).isEqualTo(carried);
    }
    assertThat(Seals.read("EqQBCgIYAhIM")).isNull();
    assertThat(Seals.read(Seals.MARK + "%%%")).isEqualTo(new Seals.Carried(null, null, false));
  }
}
