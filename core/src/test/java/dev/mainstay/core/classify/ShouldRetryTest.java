package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a sender says of sending it again is believed where it forbids, never where it invites. */
class ShouldRetryTest {
  @ParameterizedTest
  @CsvSource({
    "500,server_error,,true",
    "500,server_error,true,true",
    "500,server_error,false,false",
    "429,rate_limit_error,false,false",
    "503,overloaded_error,false,false",
    "401,authentication_error,true,false",
  })
  void aSenderMayForbidARetry(int status, String type, String said, boolean again) {
    var verdict =
        Classifier.standard()
            .classify(
                new Facts(
                    "openai",
                    Where.HTTP,
                    status,
                    said == null ? Headers.none() : new Headers(Map.of("x-should-retry", said)),
                    "{\"error\":{\"type\":\"" + type + "\",\"message\":\"no\"}}",
                    null,
                    null));
    assertThat(verdict.retrySame()).as(verdict.toString()).isEqualTo(again);
    assertThat(verdict.fallback()).isTrue();
  }
}
