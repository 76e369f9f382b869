package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A target of weight 0 takes over from the others, whatever they share the load by. */
@Timeout(60)
final class BalanceTest {
  @ParameterizedTest
  @ValueSource(strings = {"weighted", "least-busy", "fastest-first-token"})
  void aTargetOfWeight0ComesLast(String balance) {
    var model =
        "  shared: { balance: %s, targets: [{ target: two/spare, weight: 0 }, one/first, one/other] }\n"
            .formatted(balance);
    try (var h = new Harness(model)) {
      h.one.otherwise(json(200, ScriptedProvider.answer()));
      h.two.otherwise(json(200, ScriptedProvider.answer()));
      for (int i = 0; i < 5; i++) {
        assertThat(Harness.header(h.chat("shared"), "x-mainstay-target")).startsWith("one/");
      }
      h.one.otherwise(json(401, "{\"error\":{\"code\":\"invalid_api_key\"}}"));
      assertThat(Harness.header(h.chat("shared"), "x-mainstay-target")).isEqualTo("two/spare");
    }
  }
}
