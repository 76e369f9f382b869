package dev.mainstay.gateway.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.recovery.Limits;
import dev.mainstay.wire.request.MalformedRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a caller grants a call, by its headers. */
class InboundRequestsTest {
  private static Limits limits(boolean stream, String... headers) throws MalformedRequest {
    var all = new DefaultHttpHeaders();
    for (int i = 0; i < headers.length; i += 2) {
      all.set(headers[i], headers[i + 1]);
    }
    return InboundRequests.limits(all, stream);
  }

  @ParameterizedTest
  @CsvSource({"600, 595", "30.0, 25", "10, 5", "7, 3.5"})
  void anSdksTimeoutEndsNewAttemptsInTimeToReadTheError(String seconds, String kept)
      throws MalformedRequest {
    var millis = (long) (Double.parseDouble(kept) * 1000);
    assertThat(limits(false, "x-stainless-timeout", seconds).lastAttempt())
        .isEqualTo(Duration.ofMillis(millis));
    assertThat(limits(true, "x-stainless-timeout", seconds).lastAttempt())
        .isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void theReadTimeoutOfThePythonSdksCountsForWholeAnswersAlone() throws MalformedRequest {
    assertThat(limits(false, "x-stainless-read-timeout", "30.0").lastAttempt())
        .isEqualTo(Duration.ofSeconds(25));
    assertThat(limits(true, "x-stainless-read-timeout", "30.0").lastAttempt()).isNull();
  }

  @Test
  void anSdksTimeoutIsNoDeadline() throws MalformedRequest {
    var both = limits(false, "x-mainstay-deadline-ms", "700", "x-stainless-timeout", "600");
    assertThat(both.deadline()).isEqualTo(Duration.ofMillis(700));
    assertThat(both.lastAttempt()).isEqualTo(Duration.ofSeconds(595));
    assertThat(limits(false, "x-stainless-timeout", "30").deadline()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"''", "soon", "-3", "0", "99999999999999999999"})
  void whatIsNoTimeIsNoLimit(String seconds) throws MalformedRequest {
    assertThat(limits(false, "x-stainless-timeout", seconds).lastAttempt()).isNull();
    assertThat(limits(false, "x-stainless-read-timeout", seconds).lastAttempt()).isNull();
  }
}
