package dev.mainstay.gateway.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestReader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class BoundTest {
  private static final LocalDate DAY = LocalDate.of(2026, 11, 21);

  /** In input tokens of gpt-4o, at 2.50 dollars a million: 2,500 nano-dollars each. */
  private static long tokens(String content) throws MalformedRequest {
    var body =
        ("{\"model\":\"gpt-4o\",\"max_tokens\":0,\"messages\":[{\"role\":\"user\",\"content\":["
                + content
                + "]}]}")
            .getBytes(StandardCharsets.UTF_8);
    var bound =
        Bound.of(
            Operation.CHAT,
            RequestReader.read(Operation.CHAT, body),
            body,
            List.of(new TargetId("openai", "gpt-4o")),
            Prices.shipped(),
            DAY);
    return Objects.requireNonNull(bound.nanos()) / 2_500;
  }

  @Test
  void textIsATokenAByteAndAnImageTheMostThatItsProviderMakesOfOne() throws Exception {
    long none = tokens("");
    var image = "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a/b.png\"}}";
    assertThat(tokens(image) - none).isEqualTo(image.length() + 3_779);
    assertThat(tokens(image + "," + image) - none).isEqualTo(2L * image.length() + 1 + 2 * 3_779);
    var inline = "data:image/png;base64," + "A".repeat(100_000);
    var carried = "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" + inline + "\"}}";
    assertThat(tokens(carried) - none).isEqualTo(carried.length() - inline.length() + 3_779);
  }

  @Test
  void aFileIsAsMuchAsTheModelReads() throws Exception {
    var file = "{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}}";
    assertThat(tokens(file)).isGreaterThanOrEqualTo(128_000).isLessThan(129_000);
  }
}
