package dev.mainstay.gateway.admin;

import dev.mainstay.config.Alerts;
import dev.mainstay.gateway.admin.CallJson.TokenCounts;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.api.Times;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.CostQuery.By;
import dev.mainstay.ledger.LedgerReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/costs}: what was used and paid. Blocks on the ledger. */
final class CostsApi {
  /** What is asked for where nothing is said. */
  private static final Duration USUAL = Duration.ofDays(30);

  /** The whole days before today by which a forecast goes. */
  private static final int FORECAST_DAYS = 7;

  private final Supplier<LedgerReader> reader;
  private final Supplier<Alerts.Spike> spike;
  private final InstantSource clock;

  /**
   * @param spike which hours are spikes
   */
  CostsApi(Supplier<LedgerReader> reader, Supplier<Alerts.Spike> spike, InstantSource clock) {
    this.reader = reader;
    this.spike = spike;
    this.clock = clock;
  }

  /**
   * The answer.
   *
   * @param costUsd of all rows; null where no price is known
   * @param forecast null where nothing was spent in the days it would go by
   * @param next the cursor of the next page of rows, null on the last
   * @param spikes hours between the two that cost more than others, the newest first
   */
  record Costs(
      String by,
      Instant from,
      Instant to,
      @Nullable BigDecimal costUsd,
      @Nullable Forecast forecast,
      List<CostSpikes.Spike> spikes,
      List<Cost> rows,
      @Nullable String next) {}

  /**
   * What this month will cost if it goes on like the last days.
   *
   * @param dayUsd the mean of the last {@code basisDays} whole days
   * @param monthUsd what the month has cost so far, and that mean for what is left of it
   */
  record Forecast(BigDecimal dayUsd, BigDecimal monthUsd, int basisDays) {}

  /** What one model, client, run, agent or day has used and cost; the key is null for none. */
  record Cost(
      @Nullable String key,
      long calls,
      long failed,
      long attempts,
      TokenCounts tokens,
      @Nullable BigDecimal costUsd,
      long attemptsWithoutPrice) {
    static Cost of(CostQuery.Sum sum) {
      return new Cost(
          sum.key(),
          sum.calls(),
          sum.failed(),
          sum.attempts(),
          Objects.requireNonNull(CallJson.tokens(sum.tokens())),
          usd(sum.costNanos(), sum.unpriced()),
          sum.unpriced());
    }
  }

  Route route() {
    return Cursors.sliced(
            Route.get(
                "/api/costs",
                Role.VIEWER,
                "costs",
                "Tokens and costs, with a forecast for this month; also as CSV, which is whole"
                    + " unless it has a limit",
                (Route.Handler.Blocking) this::answer),
            "rows")
        .with("by", "string", "model (default), client, run, agent or day")
        .with("from", "string", "a day or an instant; default 30 days ago")
        .with("to", "string", "a day, which counts in full, or an instant; default now")
        .with("format", "string", "json (default) or csv; Accept: text/csv also selects CSV")
        .gives(Costs.class)
        .gives(null, "text/csv");
  }

  private Route.Reply answer(Route.ApiRequest asked) {
    var by = asked.query("by") == null ? By.MODEL : By.of(asked.query("by"));
    if (by == null) {
      throw ApiException.invalid(
          "by is not " + asked.query("by"), "model", "client", "run", "agent", "day");
    }
    boolean csv = csv(asked);
    var now = clock.instant();
    var from = Times.of("from", asked.query("from"), false);
    var to = Times.of("to", asked.query("to"), true);
    var until = to == null ? now : to.minusNanos(1000);
    var since = from == null ? until.minus(USUAL) : from;
    if (!until.isAfter(since)) {
      throw ApiException.invalid("to is before from");
    }
    var sums = reader.get().costs(new CostQuery(by, since, until));
    var all = sums.stream().map(Cost::of).toList();
    var page = Cursors.slice("costs", all, asked);
    if (csv) {
      return new Route.Reply(
          200,
          "text/csv; charset=utf-8",
          csv(asked.query("limit") == null ? all : page.rows()).getBytes(StandardCharsets.UTF_8));
    }
    return Route.Reply.ok(
        new Costs(
            asked.query("by") == null ? "model" : asked.query("by"),
            since,
            until,
            usd(nanos(sums), sums.stream().mapToLong(CostQuery.Sum::unpriced).sum()),
            forecast(now),
            CostSpikes.between(reader.get(), since, until, spike.get()),
            page.rows(),
            page.next()));
  }

  private static boolean csv(Route.ApiRequest asked) {
    var format = asked.query("format");
    if (format == null) {
      return asked.accept().startsWith("text/csv");
    }
    if (!format.equals("csv") && !format.equals("json")) {
      throw ApiException.invalid("format is not " + format, "json", "csv");
    }
    return format.equals("csv");
  }

  private @Nullable Forecast forecast(Instant now) {
    var today = now.truncatedTo(ChronoUnit.DAYS);
    long week =
        nanos(
            reader
                .get()
                .costs(
                    new CostQuery(
                        By.DAY,
                        today.minus(Duration.ofDays(FORECAST_DAYS)),
                        today.minusMillis(1))));
    if (week == 0) {
      return null;
    }
    var date = now.atOffset(ZoneOffset.UTC).toLocalDate();
    var month = date.withDayOfMonth(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    long soFar = nanos(reader.get().costs(new CostQuery(By.DAY, month, now)));
    var end = date.withDayOfMonth(1).plusMonths(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    double left = (double) Duration.between(now, end).toSeconds() / Duration.ofDays(1).toSeconds();
    long day = week / FORECAST_DAYS;
    return new Forecast(
        Objects.requireNonNull(CallJson.usd(day)),
        Objects.requireNonNull(CallJson.usd(soFar + Math.round(day * left))),
        FORECAST_DAYS);
  }

  private static long nanos(List<CostQuery.Sum> sums) {
    return sums.stream().mapToLong(CostQuery.Sum::costNanos).sum();
  }

  /** Of attempts that all have an unknown price the sum is unknown too, and not 0. */
  private static @Nullable BigDecimal usd(long nanos, long unpriced) {
    return CallJson.usd(nanos == 0 && unpriced > 0 ? null : (Long) nanos);
  }

  private static String csv(List<Cost> rows) {
    var out =
        new StringBuilder(
            "key,calls,failed,attempts,input_tokens,cached_input_tokens,cache_write_tokens,"
                + "output_tokens,reasoning_tokens,cost_usd,attempts_without_price\r\n");
    for (var row : rows) {
      var tokens = row.tokens();
      out.append(cell(row.key()));
      for (long number :
          new long[] {
            row.calls(),
            row.failed(),
            row.attempts(),
            tokens.input(),
            tokens.cachedInput(),
            tokens.cacheWrite(),
            tokens.output(),
            tokens.reasoning()
          }) {
        out.append(',').append(number);
      }
      var cost = row.costUsd();
      out.append(',').append(cost == null ? "" : cost.toPlainString());
      out.append(',').append(row.attemptsWithoutPrice()).append("\r\n");
    }
    return out.toString();
  }

  /** A name in quotes. */
  private static String cell(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return "";
    }
    return '"' + SpreadsheetText.of(text).replace("\"", "\"\"") + '"';
  }
}
