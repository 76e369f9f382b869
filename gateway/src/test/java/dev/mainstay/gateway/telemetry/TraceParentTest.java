package dev.mainstay.gateway.telemetry;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of W3C Trace Context and what it tells to ignore. */
final class TraceParentTest {
  private static final String EXAMPLE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @Test
  void whatIsReadIsWrittenAgain() {
    var read = requireNonNull(TraceParent.read(EXAMPLE));
    assertThat(read)
        .isEqualTo(new TraceParent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true));
    assertThat(read.header()).isEqualTo(EXAMPLE);
    assertThat(requireNonNull(TraceParent.read(EXAMPLE.replace("-01", "-00"))).sampled()).isFalse();
  }

  @Test
  void aLaterVersionIsReadAsFarAsItIsKnown() {
    assertThat(TraceParent.read(EXAMPLE.replaceFirst("00", "cc") + "-what-comes"))
        .isEqualTo(TraceParent.read(EXAMPLE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      })
  void whatIsNoneIsIgnored(String header) {
    assertThat(TraceParent.read(header)).isNull();
  }
}
