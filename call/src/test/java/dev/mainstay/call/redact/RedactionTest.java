package dev.mainstay.call.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.Redactor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RedactionTest {
  private static String body(String text, String... rules) {
    return new String(Redaction.of(List.of(rules)).body(text.getBytes(UTF_8)), UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "$.user              | {\"user\" : \"ann\", \"n\":1}  | {\"user\" : \"[redacted]\","
            + " \"n\":1}",
        "$.m[*].content      |"
            + " {\"m\":[{\"content\":\"a\"},{\"content\":[{\"x\":1}]},{\"role\":\"u\"}]} |"
            + " {\"m\":[{\"content\":\"[redacted]\"},{\"content\":\"[redacted]\"},{\"role\":\"u\"}]}",
        "$..email            | {\"Email\":\"x\"} | {\"Email\":\"[redacted]\"}",
        "/[0-9]{13,16}/      | {\"card\":4111111111111111,\"n\":12} |"
            + " {\"card\":\"[redacted]\",\"n\":12}",
        "$..email            | {\"a\":{\"email\":\"x\",\"b\":[{\"email\":null}]},\"email\":3} |"
            + " {\"a\":{\"email\":\"[redacted]\",\"b\":[{\"email\":\"[redacted]\"}]},\"email\":\"[redacted]\"}",
        "$.*.x               | {\"a\":{\"x\":true},\"b\":{\"y\":{\"x\":1}}} |"
            + " {\"a\":{\"x\":\"[redacted]\"},\"b\":{\"y\":{\"x\":1}}}",
        "$.a[1]              | {\"a\":[\"x\",\"y\",\"z\"]} | {\"a\":[\"x\",\"[redacted]\",\"z\"]}",
        "/[0-9]{4}-[0-9]{4}/ | {\"t\":\"card 1234-5678.\",\"n\":12345678} | {\"t\":\"card"
            + " [redacted].\",\"n\":12345678}",
        "$.missing           | {\"é\": \"\\u00e9\"} | {\"é\": \"\\u00e9\"}"
      })
  void takesOutWhatIsNamedAndLeavesTheRestByteForByte(String rule, String in, String out) {
    assertThat(body(in, rule)).isEqualTo(out);
  }

  @Test
  void aStreamIsReadEventByEvent() {
    assertThat(
            body(
                "event: x\ndata: {\"d\":{\"content\":\"secret\"}}\n\n: comment\n\ndata: [DONE]\n\n",
                "$.d.content"))
        .isEqualTo(
            "event: x\n"
                + "data: {\"d\":{\"content\":\"[redacted]\"}}\n\n"
                + ": comment\n\n"
                + "data: [DONE]\n\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"user\":\"SECRET",
        "{\"a\":1} {\"user\":\"SECRET\"}",
        "<html>SECRET</html>",
        "data: {\"user\":\"SECRET\n\n",
        "[{\"user\":SECRET}]"
      })
  void whatCannotBeReadIsTakenOutWhole(String broken) {
    assertThat(body(broken, "$.user")).doesNotContain("SECRET").contains("[redacted]");
  }

  @Test
  void aPatternThatWouldRunForEverTakesTheTextOut() {
    var text = "a".repeat(5000) + "!";
    assertThat(body("{\"t\":\"" + text + "\"}", "/(a+)+$/")).isEqualTo("{\"t\":\"[redacted]\"}");
  }

  @Test
  void whatAProviderWroteOfAFailureIsNotKept() {
    assertThat(
            Redaction.of(List.of("$.user"))
                .facts("{\"where\":\"http\",\"status\":400,\"body\":\"you said SECRET\"}"))
        .isEqualTo("{\"where\":\"http\",\"status\":400,\"body\":\"[redacted]\"}");
  }

  @Test
  void withoutRulesNothingIsLookedAt() {
    assertThat(Redaction.of(List.of())).isSameAs(Redactor.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "user", "$", "$.", "$.a..", "$.a[x]", "$a", "/", "//", "/(/"})
  void whatIsNoRuleIsRefused(String rule) {
    assertThatThrownBy(() -> Redaction.of(List.of(rule)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
