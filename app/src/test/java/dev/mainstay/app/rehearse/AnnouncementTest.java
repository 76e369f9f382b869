package dev.mainstay.app.rehearse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.app.FailedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AnnouncementTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void thePortIsKnownWhileTheGatewayRuns() throws Exception {
    try (var out = new PipedOutputStream();
        var in = new PipedInputStream(out)) {
      out.write("a warning\nMainstay is ready on http://127.0.0.1:41234\n\n".getBytes(UTF_8));
      out.flush();
      assertThat(Announcement.in(in).port(LONG)).isEqualTo(41234);
    }
  }

  @Test
  void aGatewayThatEndsIsNotWaitedForAndHasTheLastWord() {
    var in = new ByteArrayInputStream("mainstay: no provider\n\n".getBytes(UTF_8));
    assertThatThrownBy(() -> Announcement.in(in).port(LONG))
        .isInstanceOf(FailedException.class)
        .hasMessage("the gateway did not start: mainstay: no provider");
  }

  @Test
  void oneThatSaysNothingIsWaitedForSoLong() throws IOException {
    try (var out = new PipedOutputStream();
        var in = new PipedInputStream(out)) {
      assertThatThrownBy(() -> Announcement.in(in).port(Duration.ZERO))
          .isInstanceOf(FailedException.class)
          .hasMessage("the gateway did not start within 0 s");
    }
  }
}
