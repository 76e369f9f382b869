package dev.mainstay.wire.money;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class PricesTest {
  private static final LocalDate DAY = LocalDate.of(2026, 11, 21);
  private static final Prices SHIPPED = Prices.shipped();

  @Test
  void countsEveryBucketAtItsOwnPrice() {
    // 1000 × $2.50 + 2000 × $1.25 + 100 × $10 + 50 × $10 for a million tokens each
    assertThat(SHIPPED.nanos("openai", "gpt-4o", DAY, new Usage(1000, 2000, 0, 100, 50, false)))
        .isEqualTo(2_500_000L + 2_500_000L + 1_000_000L + 500_000L);
    // 10 × $3.75 for cache writes
    assertThat(
            SHIPPED.nanos(
                "anthropic", "claude-sonnet-4-5-20250929", DAY, new Usage(0, 0, 10, 0, 0, false)))
        .isEqualTo(37_500L);
  }

  @Test
  void whatIsKeptForAnHourCostsTwiceTheInputUnlessARowSaysOtherwise() {
    var day = LocalDate.of(2026, 11, 22);
    // $3.75 for five minutes, $3 for input: 60 × 3.75 + 40 × 6 millionths.
    var usage = new Usage(0, 0, 100, 0, 0, false).withHourWrites(40);
    assertThat(SHIPPED.nanos("anthropic", "claude-sonnet-4-5", day, usage)).isEqualTo(465_000);
    var row =
        new PriceRow(
            "anthropic/claude-sonnet-4-5",
            Unit.CACHE_WRITE_1H,
            new BigDecimal("5"),
            LocalDate.of(2026, 1, 1),
            0,
            "a contract");
    assertThat(SHIPPED.with(List.of(row)).nanos("anthropic", "claude-sonnet-4-5", day, usage))
        .isEqualTo(425_000);
  }

  @Test
  void roundsHalfUpOnlyOnceAtTheEnd() {
    // A token at $0.005 a million is 5 nano-dollars; at $0.0005 it is half of one.
    var cheap =
        Prices.none()
            .with(
                List.of(
                    row("m", Unit.INPUT, "0.0005", "2026-01-01", 0),
                    row("m", Unit.OUTPUT, "0.0001", "2026-01-01", 0)));
    assertThat(cheap.nanos("p", "m", DAY, new Usage(1, 0, 0, 0, 0, false))).isEqualTo(1);
    assertThat(cheap.nanos("p", "m", DAY, new Usage(0, 0, 0, 4, 0, false))).isZero();
    assertThat(cheap.nanos("p", "m", DAY, new Usage(0, 0, 0, 9, 0, false))).isEqualTo(1);
  }

  @Test
  void anUnknownPriceIsNullAndNeverZero() {
    var usage = new Usage(1, 0, 0, 1, 0, false);
    assertThat(SHIPPED.nanos("openai", "gpt-99", DAY, usage)).isNull();
    assertThat(SHIPPED.nanos("local", "gpt-4o", DAY, usage)).isNull();
    assertThat(SHIPPED.nanos("openai", "gpt-99", DAY, new Usage(0, 0, 0, 0, 0, false))).isNull();
    assertThat(SHIPPED.nanos("openai", "gpt-5-pro", DAY, new Usage(1, 5, 0, 1, 0, false)))
        .as("its cached price is unknown")
        .isNull();
    assertThat(SHIPPED.known("openai", "gpt-99", DAY)).isFalse();
    assertThat(SHIPPED.known("openai", "gpt-4o", DAY)).isTrue();
    assertThat(SHIPPED.nanos("openai", "gpt-4o", DAY, new Usage(0, 0, 0, 0, 0, false))).isZero();
  }

  @Test
  void theDayAndTheLengthOfThePromptPickTheRow() {
    var cached = new Usage(0, 1_000_000, 0, 0, 0, false);
    assertThat(SHIPPED.nanos("anthropic", "claude-sonnet-5-5", LocalDate.of(2026, 10, 6), cached))
        .isEqualTo(200_000_000L);
    assertThat(SHIPPED.nanos("anthropic", "claude-sonnet-5-5", LocalDate.of(2026, 10, 7), cached))
        .isEqualTo(100_000_000L);
    assertThat(SHIPPED.known("anthropic", "claude-haiku-5-5", LocalDate.of(2026, 10, 6))).isFalse();
    assertThat(
            SHIPPED.nanos("gemini", "gemini-2.5-pro", DAY, new Usage(200_000, 0, 0, 0, 0, false)))
        .isEqualTo(250_000_000L);
    assertThat(
            SHIPPED.nanos(
                "gemini", "gemini-2.5-pro", DAY, new Usage(100_001, 100_000, 0, 0, 0, true)))
        .isEqualTo(250_002_500L + 25_000_000L);
  }

  @Test
  void aDatedNameHasItsOwnRowOrThatOfItsModel() {
    var million = new Usage(1_000_000, 0, 0, 0, 0, false);
    assertThat(SHIPPED.nanos("openai", "gpt-4o-2024-08-06", DAY, million))
        .isEqualTo(2_500_000_000L);
    assertThat(SHIPPED.nanos("openai", "gpt-4o-2024-05-13", DAY, million))
        .isEqualTo(5_000_000_000L);
    assertThat(SHIPPED.nanos("openai", "gpt-3.5-turbo-0301", DAY, million)).isNull();
    assertThat(SHIPPED.nanos("mistral", "mistral-small-latest", DAY, million))
        .isEqualTo(150_000_000L);
  }

  @Test
  void addedRowsReplaceThoseOfTheirModelAndUnitAndChangeTheVersion() {
    var added =
        SHIPPED.with(
            List.of(
                row("openai/gpt-4o", Unit.INPUT, "1", "2026-01-01", 0),
                row("llama", Unit.INPUT, "0", "2026-01-01", 0),
                row("llama", Unit.OUTPUT, "0", "2026-01-01", 0)));
    var one = new Usage(1, 0, 0, 1, 0, false);
    assertThat(added.nanos("openai", "gpt-4o", DAY, one)).isEqualTo(1000 + 10_000);
    assertThat(added.nanos("local", "llama", DAY, one)).isZero();
    assertThat(added.version()).startsWith(SHIPPED.version() + "+");
    assertThat(SHIPPED.nanos("openai", "gpt-4o", DAY, one)).isEqualTo(2500 + 10_000);
    assertThat(
            SHIPPED
                .with(List.of(row("gpt-4o", Unit.OUTPUT, "2", "2026-01-01", 0)))
                .nanos("openai", "gpt-4o", DAY, one))
        .as("named without its provider")
        .isEqualTo(2500 + 2000);
  }

  @Test
  void aRowOfAModelAloneAddsAUnitThatTheTableDoesNotKnow() {
    var cached = new Usage(1, 5, 0, 1, 0, false);
    assertThat(SHIPPED.nanos("openai", "gpt-5-pro", DAY, cached)).isNull();
    assertThat(
            SHIPPED
                .with(List.of(row("gpt-5-pro", Unit.CACHED_INPUT, "1", "2026-01-01", 0)))
                .nanos("openai", "gpt-5-pro", DAY, cached))
        .isEqualTo(15_000 + 5_000 + 120_000);
  }

  @Test
  void aUseOfAToolCostsWhatTheLongestBeginningSaysUnlessTheModelHasAPriceOfItsOwn() {
    var searched = new Usage(1, 0, 0, 1, 0, false, ToolUses.of(Unit.WEB_SEARCH, 3));
    assertThat(SHIPPED.nanos("anthropic", "claude-sonnet-4-5-20250929", DAY, searched))
        .isEqualTo(3_000 + 15_000 + 3 * 10_000_000L);
    var preview = ToolUses.of(Unit.WEB_SEARCH_PREVIEW, 1);
    assertThat(SHIPPED.fees("openai", "gpt-4o", DAY, preview)).isEqualTo(25_000_000);
    assertThat(SHIPPED.fees("openai", "gpt-5-mini", DAY, preview)).isEqualTo(10_000_000);
    // Gemini is paid by the answer until 2.5, and by the query from 3 on.
    var grounded = ToolUses.of(Unit.WEB_SEARCH, 4).plus(ToolUses.of(Unit.GROUNDED_ANSWER, 1));
    assertThat(SHIPPED.fees("gemini", "gemini-2.5-flash", DAY, grounded)).isEqualTo(35_000_000);
    assertThat(SHIPPED.fees("gemini", "gemini-3.1-pro-preview", DAY, grounded))
        .isEqualTo(4 * 14_000_000);
    assertThat(
            SHIPPED
                .with(List.of(row("openai/*", Unit.IMAGE_GENERATION, "250000", "2026-01-01", 0)))
                .fees("openai", "gpt-4o", DAY, ToolUses.of(Unit.IMAGE_GENERATION, 1)))
        .isEqualTo(250_000_000);
    assertThat(
            SHIPPED
                .with(List.of(row("gpt-4o", Unit.FILE_SEARCH, "1000", "2026-01-01", 0)))
                .fees("openai", "gpt-4o", DAY, ToolUses.of(Unit.FILE_SEARCH, 1)))
        .isEqualTo(1_000_000);
  }

  @Test
  void aFeeThatIsUnknownMakesTheCostUnknown() {
    assertThat(SHIPPED.fees("openai", "gpt-4o", DAY, ToolUses.of(Unit.IMAGE_GENERATION, 1)))
        .isNull();
    assertThat(SHIPPED.fees("local", "gpt-4o", DAY, ToolUses.of(Unit.WEB_SEARCH, 1))).isNull();
    assertThat(SHIPPED.fees("local", "gpt-4o", DAY, ToolUses.NONE)).isZero();
  }

  @Test
  void aTableWithAMistakeNamesTheLine() {
    assertThatThrownBy(
            () -> PriceTable.parse("# version x\n\nm\t0\t2026-01-01\tabc\t-\t-\t1\ts", ""))
        .hasMessageStartingWith("price table, line 3:");
    assertThatThrownBy(() -> PriceTable.parse("# version x\nm\t0\t2026-01-01\t1\t-\t1\ts", ""))
        .hasMessageContaining("7 columns, not 8");
    assertThatThrownBy(() -> PriceTable.parse("# version x", "m\tinput\t2026-01-01\t1\ts"))
        .hasMessage("table of fees, line 1: input counts tokens");
    assertThatThrownBy(() -> row("m", Unit.INPUT, "-1", "2026-01-01", 0))
        .hasMessageContaining("price of m is -1");
  }

  private static PriceRow row(String model, Unit unit, String usd, String from, long above) {
    return new PriceRow(model, unit, new BigDecimal(usd), LocalDate.parse(from), above, "test");
  }
}
