package dev.mainstay.app.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.Body;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LiveTextTest {
  private static final byte[] KILOBYTE =
      "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
          .formatted("word ".repeat(196))
          .getBytes(UTF_8);

  private final AtomicLong now = new AtomicLong();
  private final LiveText text = new LiveText(true, now::get);

  private int indexed(int bodies) {
    int indexed = 0;
    for (int i = 0; i < bodies; i++) {
      indexed += text.of(KILOBYTE, Body.Part.REQUEST).isEmpty() ? 0 : 1;
    }
    return indexed;
  }

  @Test
  void aFloodIsIndexedAsFarAsTimeAllows() {
    int burst = (int) (LiveText.BURST / KILOBYTE.length) + 1;
    assertThat(indexed(3 * burst)).isEqualTo(burst);
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(indexed(burst)).isBetween(1, (int) (LiveText.BYTES_A_SECOND / KILOBYTE.length) + 1);
    now.addAndGet(Duration.ofMinutes(5).toNanos());
    assertThat(indexed(3 * burst)).isEqualTo(burst);
  }

  @Test
  void nothingIsIndexedWhereTheConfigurationSaysSo() {
    text.kept = false;
    assertThat(indexed(1)).isZero();
    text.kept = true;
    assertThat(indexed(1)).isEqualTo(1);
  }
}
