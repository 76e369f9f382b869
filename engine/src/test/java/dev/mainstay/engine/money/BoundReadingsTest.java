package dev.mainstay.engine.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestReader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever stands in the fields that limit an answer: the reservation covers every reading of them
 * that a provider may have, or there is none and the request is refused.
 */
final class BoundReadingsTest {
  private static final LocalDate DAY = LocalDate.of(2026, 11, 21);

  /** What gpt-4o writes at the most, and what a token of that costs. */
  private static final long MODEL_MOST = 16_384;

  private static final long NANOS = 10_000;

  private static final List<String> VALUES =
      List.of(
          "1",
          "7",
          "100",
          "16384",
          "20000",
          "0",
          "-1",
          "-0",
          "-1000000",
          "1.5",
          "99.0001",
          "1e3",
          "2.5E2",
          "1e-3",
          "1e30",
          "1e400",
          "-1e400",
          "9223372036854775807",
          "9223372036854775808",
          "99999999999999999999999999",
          "null",
          "\"100\"",
          "\"1000000\"",
          "\" 5\"",
          "\"\"",
          "true",
          "false",
          "[]",
          "[5]",
          "{}",
          "{\"max\":1}");

  private static CostBound of(Operation operation, String fields) throws MalformedRequest {
    var body = ("{\"model\":\"gpt-4o\"" + fields + "}").getBytes(StandardCharsets.UTF_8);
    return CostBound.of(
        operation,
        RequestReader.read(operation, body),
        body,
        List.of(new TargetId("openai", "gpt-4o")),
        Prices.shipped(),
        DAY,
        null);
  }

  /** One way to read: which of a field's values counts, and which of two fields. */
  private record Reading(boolean first, boolean completionFirst, boolean lax) {
    double output(Map<String, List<String>> fields) {
      var one = limit(fields, completionFirst ? "max_completion_tokens" : "max_tokens");
      if (one == null) {
        one = limit(fields, completionFirst ? "max_tokens" : "max_completion_tokens");
      }
      return (one == null ? MODEL_MOST : Math.min(one, MODEL_MOST)) * choices(fields);
    }

    private @Nullable Double limit(Map<String, List<String>> fields, String name) {
      var number = number(fields.get(name));
      // 0 and below, or what is no number, is no limit.
      return number == null || number < 1 ? null : number;
    }

    private double choices(Map<String, List<String>> fields) {
      var number = number(fields.get("n"));
      return number == null ? 1 : Math.max(1, number);
    }

    private @Nullable Double number(@Nullable List<String> values) {
      if (values == null) {
        return null;
      }
      var text = first ? values.getFirst() : values.getLast();
      var digits = lax ? text.replace("\"", "").strip() : text;
      try {
        return Math.ceil(Double.parseDouble(digits));
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }

  @Test
  void coversEveryReading() throws Exception {
    var readings =
        IntStream.range(0, 8)
            .mapToObj(i -> new Reading((i & 1) != 0, (i & 2) != 0, (i & 4) != 0))
            .toList();
    var random = new Random(20261122);
    for (int i = 0; i < 50_000; i++) {
      var fields = new LinkedHashMap<String, List<String>>();
      var body = new StringBuilder();
      for (int many = random.nextInt(5); many > 0; many--) {
        var name = List.of("max_tokens", "max_completion_tokens", "n").get(random.nextInt(3));
        var value = VALUES.get(random.nextInt(VALUES.size()));
        fields.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
        var written =
            random.nextInt(4) == 0
                ? name.replaceFirst("m|n", "\\\\u00" + (name.startsWith("m") ? "6d" : "6e"))
                : name;
        body.append(",\"").append(written).append("\":").append(value);
      }
      var bound = of(Operation.CHAT, body.toString());
      if (bound.nanos() != null) {
        for (var reading : readings) {
          assertThat((double) bound.nanos())
              .as("%s by %s", body, reading)
              .isGreaterThanOrEqualTo(reading.output(fields) * NANOS);
        }
      } else {
        assertThat(bound.unknown()).containsAnyOf("is not a number", "more than a billion");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "CHAT ! ,\"max_tokens\":10 ! 10",
        "CHAT ! ,\"max_tokens\":10,\"n\":3 ! 30",
        "CHAT ! ,\"max_tokens\":10,\"n\":2,\"best_of\":3 ! 30",
        "CHAT ! ,\"max_completion_tokens\":10,\"max_tokens\":null ! 10",
        "CHAT ! ,\"max_tokens\":10,\"max_completion_tokens\":20 ! 20",
        "CHAT ! ,\"max_tokens\":10,\"max_tokens\":20 ! 20",
        "CHAT ! ,\"max_tokens\":20,\"max_tokens\":10 ! 20",
        "CHAT ! ,\"max_tokens\":10,\"max_tokens\":null ! 16384",
        "CHAT ! ,\"max_output_tokens\":10 ! 16384",
        "CHAT ! ,\"max_tokens\":0 ! 16384",
        "CHAT ! ,\"max_tokens\":-1 ! 16384",
        "CHAT ! ,\"max_tokens\":1.2 ! 2",
        "CHAT ! ! 16384",
        "RESPONSES ! ,\"max_output_tokens\":10 ! 10",
        "RESPONSES ! ,\"max_tokens\":10 ! 16384",
        "MESSAGES ! ,\"max_tokens\":10 ! 10",
        "MESSAGES ! ,\"max_completion_tokens\":10 ! 16384",
        "GENERATE ! ,\"generationConfig\":{\"maxOutputTokens\":10,\"candidateCount\":3} ! 30",
        "GENERATE ! ,\"generation_config\":{\"max_output_tokens\":10} ! 10",
        "GENERATE ! ,\"generationConfig\":{\"maxOutputTokens\":10},\"generationConfig\":{} ! 16384",
        "GENERATE ! ,\"generationConfig\":{\"maxOutputTokens\":10},\"generation_config\":{} !"
            + " 16384",
        "GENERATE ! ,\"generationConfig\":null,\"generationConfig\":{\"maxOutputTokens\":9} !"
            + " 16384",
        "GENERATE ! ,\"maxOutputTokens\":10 ! 16384",
        "GENERATE ! ,\"generationConfig\":{\"maxOutputTokens\":10,\"candidateCount\":1000} ! 10000"
      })
  void isTheMostThatTheAnswersMayHave(Operation operation, @Nullable String fields, long tokens)
      throws Exception {
    var body = fields == null ? "" : fields;
    var text = ("{\"model\":\"gpt-4o\"" + body + "}").length();
    assertThat(of(operation, body).nanos()).isEqualTo(tokens * NANOS + text * 2_500L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"1000000\"", "true", "[2]", "{}", "\"x\""})
  void whatIsNoNumberIsRefusedByItsName(String value) throws Exception {
    for (var field : List.of("n", "max_tokens", "max_completion_tokens")) {
      assertThat(of(Operation.CHAT, ",\"" + field + "\":" + value))
          .isEqualTo(new CostBound(null, field + " is not a number above 0", false));
    }
    assertThat(of(Operation.GENERATE, ",\"generationConfig\":{\"candidateCount\":" + value + "}"))
        .isEqualTo(new CostBound(null, "candidateCount is not a number above 0", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1e30", "\"5\"", "null", "5,\"max_tool_calls\":null"})
  void aLimitOfToolsThatIsNoneIsNone(String value) throws Exception {
    var search = ",\"tools\":[{\"type\":\"web_search\"}],\"max_tool_calls\":" + value;
    assertThat(of(Operation.RESPONSES, search).unknown()).contains("say max_tool_calls");
  }
}
