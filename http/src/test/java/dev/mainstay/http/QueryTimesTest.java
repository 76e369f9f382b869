package dev.mainstay.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class QueryTimesTest {
  @Test
  void aDayCountsAsAWholeAtTheEndOfARange() {
    assertThat(QueryTimes.parse("2026-11-21", false)).isEqualTo("2026-11-21T00:00:00Z");
    assertThat(QueryTimes.parse("2026-11-21", true)).isEqualTo("2026-11-22T00:00:00Z");
    assertThat(QueryTimes.parse("2026-11-21T12:00:00Z", true)).isEqualTo("2026-11-21T12:00:00Z");
    assertThat(QueryTimes.parse("9999-12-31", true)).isAfter(Instant.parse("9999-12-31T00:00:00Z"));
  }

  @Test
  void whatCalendarsAndDatabasesDoNotHoldIsRefused() {
    for (String far :
        List.of(
            "1969-12-31", "-1000000000-01-01T00:00:00Z", "+1000000000-12-31T23:59:59Z", "now")) {
      assertThatThrownBy(() -> QueryTimes.parse(far, false))
          .as(far)
          .isInstanceOf(DateTimeException.class);
    }
  }
}
