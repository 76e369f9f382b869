package dev.mainstay.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.Routes.Flat;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
  record Inner(long firstTokenMs, boolean class_) {}

  record Outer(String name, @Flat Inner inner, Inner own, List<Integer> list) {}

  @Test
  void aRecordHasItsNamesInSnakeCaseAndAFlatOneItsFieldsInPlace() {
    assertThat(Json.of(new Outer("a\"b", new Inner(1, true), new Inner(2, false), List.of(3))))
        .isEqualTo(
            "{\"name\":\"a\\\"b\",\"first_token_ms\":1,\"class\":true,"
                + "\"own\":{\"first_token_ms\":2,\"class\":false},\"list\":[3]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-23T00:00:00Z",
        "2026-11-23T12:34:00Z",
        "2026-11-23T12:34:56Z",
        "2026-11-23T12:00:00.5Z",
        "2026-11-23T12:34:56.123456789Z",
        "2026-11-23T12:34:00.000000999Z",
        "1969-12-31T23:59:59.999999Z",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999Z"
      })
  void aTimeIsThatOfInstantToTheMicrosecond(String text) {
    var at = Instant.parse(text);
    assertThat(Json.of(at)).isEqualTo('"' + at.truncatedTo(ChronoUnit.MICROS).toString() + '"');
  }
}
