package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the configuration says of the store. */
class LedgersTest {
  /** One heartbeat serves both, so that neither promise is broken. */
  @ParameterizedTest
  @CsvSource({"20s, 3s, 3", "3s, 20s, 3", "5s, 5s, 5"})
  void theShorterOfBothLeasesHolds(String store, String runs, int seconds) throws Exception {
    var config =
        ConfigLoader.parse(
            """
            providers:
              one: { dialect: openai, base-url: "http://127.0.0.1:9/v1", keys: [k] }
            store:
              url: "jdbc:postgresql://127.0.0.1/mainstay"
              lease: %s
            runs: { lease: %s }
            """
                .formatted(store, runs),
            "test.yaml",
            Map.of());
    assertThat(Ledgers.lease(config)).isEqualTo(Duration.ofSeconds(seconds));
  }
}
