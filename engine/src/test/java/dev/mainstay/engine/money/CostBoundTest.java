package dev.mainstay.engine.money;

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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CostBoundTest {
  private static final LocalDate DAY = LocalDate.of(2026, 11, 21);

  /** In input tokens of gpt-4o, at 2.50 dollars a million: 2,500 nano-dollars each. */
  private static long tokens(String content) throws MalformedRequest {
    var body =
        ("{\"model\":\"gpt-4o\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":["
                + content
                + "]}]}")
            .getBytes(StandardCharsets.UTF_8);
    var bound =
        CostBound.of(
            Operation.CHAT,
            RequestReader.read(Operation.CHAT, body),
            body,
            List.of(new TargetId("openai", "gpt-4o")),
            Prices.shipped(),
            DAY,
            null);
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
  void aCallWithoutALimitReservesWhatTheClientSaysItMayWrite() throws Exception {
    assertThat(output("", null)).isGreaterThanOrEqualTo(16_384);
    assertThat(output("", 4_000)).isEqualTo(4_000);
    assertThat(output("\"max_tokens\":100,", 4_000)).isEqualTo(100);
    assertThat(output("", 1_000_000)).isEqualTo(output("", null));
  }

  /** In output tokens of gpt-4o, at 10 dollars a million. */
  private static long output(String limit, @Nullable Integer assumed) throws MalformedRequest {
    var body =
        ("{\"model\":\"gpt-4o\"," + limit + "\"messages\":[]}").getBytes(StandardCharsets.UTF_8);
    var head = RequestReader.read(Operation.CHAT, body);
    var targets = List.of(new TargetId("openai", "gpt-4o"));
    var bound = CostBound.of(Operation.CHAT, head, body, targets, Prices.shipped(), DAY, assumed);
    return (Objects.requireNonNull(bound.nanos()) - body.length * 2_500L) / 10_000;
  }

  @Test
  void aFileIsAsMuchAsTheModelReads() throws Exception {
    var file = "{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}}";
    assertThat(tokens(file)).isGreaterThanOrEqualTo(128_000).isLessThan(129_000);
  }

  @Test
  void whatIsToBeKeptForAnHourIsReservedAtItsPrice() throws Exception {
    var text =
        "\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
            + "\"text\":\"x\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"%s\"}}]}]";
    long answer = 15_000; // one token
    long minutes = nanos(text.formatted("5m")) - answer;
    long hour = nanos(text.formatted("1h")) - answer;
    // Of $3 for input: 1.25 times for five minutes, twice for an hour.
    assertThat((double) hour / minutes).isEqualTo(2 / 1.25);
  }

  private static long nanos(String fields) throws MalformedRequest {
    var bound = of(Operation.MESSAGES, "anthropic", "claude-sonnet-4-5", fields);
    return Objects.requireNonNull(bound.nanos());
  }

  private static CostBound of(Operation operation, String provider, String model, String fields)
      throws MalformedRequest {
    var body = ("{\"model\":\"m\"," + fields + "}").getBytes(StandardCharsets.UTF_8);
    return CostBound.of(
        operation,
        RequestReader.read(operation, body),
        body,
        List.of(new TargetId(provider, model)),
        Prices.shipped(),
        DAY,
        null);
  }

  @Test
  void theProvidersOwnToolsCostTheirFeesAndAsManyReadingsMore() throws Exception {
    var search = "\"max_output_tokens\":10,\"tools\":[{\"type\":\"web_search\"}],";
    var once = of(Operation.RESPONSES, "openai", "gpt-4o", search + "\"max_tool_calls\":1");
    var twice = of(Operation.RESPONSES, "openai", "gpt-4o", search + "\"max_tool_calls\":2");
    assertThat(Objects.requireNonNull(twice.nanos()) - Objects.requireNonNull(once.nanos()))
        .isEqualTo(128_000L * 2_500 + 10_000_000);
    assertThat(once.tools()).isTrue();
    // Ten readings of 200,000 tokens written to the cache, eleven answers of 100, five searches.
    var anthropic =
        of(
            Operation.MESSAGES,
            "anthropic",
            "claude-haiku-4-5",
            "\"max_tokens\":100,\"tools\":[{\"type\":\"web_search_20250305\",\"max_uses\":5}]");
    assertThat(Objects.requireNonNull(anthropic.nanos()))
        .isBetween(
            2_000_000L * 1_250 + 1_100 * 5_000 + 50_000_000,
            2_005_000L * 1_250 + 1_100 * 5_000 + 50_000_000);
    var gemini =
        of(
            Operation.GENERATE,
            "gemini",
            "gemini-2.5-flash",
            "\"tools\":[{\"googleSearch\":{}}],\"generationConfig\":{\"maxOutputTokens\":10}");
    assertThat(Objects.requireNonNull(gemini.nanos())).isGreaterThan(1_048_576L * 300 + 35_000_000);
  }

  @Test
  void whatHasNoLimitIsNamedWithWhatWouldSetOne() throws Exception {
    assertThat(of(Operation.RESPONSES, "openai", "gpt-4o", "\"tools\":[{\"type\":\"web_search\"}]"))
        .isEqualTo(
            new CostBound(
                null, "nothing limits what web_search may cost: say max_tool_calls", true));
    assertThat(
            of(
                    Operation.MESSAGES,
                    "anthropic",
                    "claude-haiku-4-5",
                    "\"max_tokens\":1,\"tools\":[{\"type\":\"web_search_20250305\"}]")
                .unknown())
        .isEqualTo("nothing limits how often web_search_20250305 is used: say max_uses");
    assertThat(
            of(
                    Operation.GENERATE,
                    "gemini",
                    "gemini-3.1-pro-preview",
                    "\"tools\":[{\"google_search\":{}}]")
                .unknown())
        .isEqualTo(
            "nothing limits how often google_search is used: leave it out, or ask with a key"
                + " that has no such budget");
    assertThat(
            of(
                    Operation.RESPONSES,
                    "openai",
                    "gpt-4o",
                    "\"max_tool_calls\":1,\"tools\":[{\"type\":\"image_generation\"}]")
                .unknown())
        .isEqualTo(
            "Mainstay does not know the price of image_generation at openai/gpt-4o: add a row for"
                + " image-generation to prices");
  }
}
