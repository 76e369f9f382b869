package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.Body.Part;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.CostQuery.By;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.Measure;
import dev.mainstay.ledger.Range;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.stats.CallStats.Counter;
import dev.mainstay.ledger.stats.StatsQuery;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is recorded is read back as it was, whatever the store. */
@Timeout(180)
public abstract class LedgerContract {
  protected static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456Z");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Ledger ledger;

  /** An empty ledger, or the same one again after it was closed. */
  protected abstract Ledger open() throws Exception;

  /** A connection to the tables of the ledger that is open. */
  protected abstract Connection connect() throws Exception;

  @BeforeEach
  void openLedger() throws Exception {
    ledger = open();
  }

  @AfterEach
  void closeLedger() {
    ledger.close();
  }

  private static CallRecord call(String id, @Nullable String client, @Nullable String verdict) {
    return new CallRecord(
        new CallStart(
            id,
            client == null ? null : "run-" + client,
            null,
            client,
            NOON,
            "openai",
            "/v1/chat/completions",
            "assistant" + (char) 0,
            true),
        EndedCalls.outcome(verdict),
        EndedCalls.cost(1_234));
  }

  private static AttemptRecord attempt(String call, int number) {
    return EndedCalls.attempt(call, number, new Tokens(10, 0, 0, 1, 0, true), 600L);
  }

  private void record(String id, @Nullable String client, @Nullable String verdict) {
    var answer = ("answer " + id).getBytes(UTF_8);
    ledger
        .recorder()
        .record(
            call(id, client, verdict),
            List.of(attempt(id, 1), attempt(id, 2)),
            List.of(
                new Body(0, Part.REQUEST, ("ask " + id).getBytes(UTF_8)),
                new Body(0, Part.RESPONSE, answer),
                new Body(2, Part.RESPONSE, answer),
                new Body(1, Part.RESPONSE, new byte[0])));
  }

  private void written() throws InterruptedException {
    assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
  }

  private CallReader.StoredCall read(String id) {
    return Objects.requireNonNull(ledger.reader().call(id), id);
  }

  @Test
  void aCallIsReadBackWithItsAttemptsAndBodies() throws Exception {
    record("call_a", "team", null);
    written();
    for (int round = 0; round < 2; round++) {
      var stored = read("call_a");
      assertThat(stored.call())
          .usingRecursiveComparison()
          .ignoringFields("start.modelAsked")
          .isEqualTo(call("call_a", "team", null));
      assertThat(stored.attempts()).containsExactly(attempt("call_a", 1), attempt("call_a", 2));
      assertThat(stored.bodies())
          .extracting(
              body ->
                  body.attempt()
                      + " "
                      + body.part()
                      + " "
                      + body.length()
                      + " "
                      + new String(ledger.reader().body(body), UTF_8))
          .containsExactly(
              "0 REQUEST 10 ask call_a",
              "0 RESPONSE 13 answer call_a",
              "2 RESPONSE 13 answer call_a");
      ledger.close();
      ledger = open();
    }
    assertThat(ledger.reader().call("call_b")).isNull();
  }

  @Test
  void aCallThatIsBroughtTwiceIsKeptOnce() throws Exception {
    record("call_a", "team", null);
    written();
    record("call_a", "other", null);
    record("call_b", "team", null);
    written();
    assertThat(ledger.reader().calls(CallQuery.newest(10)).calls())
        .extracting(CallRecord::id)
        .containsExactly("call_b", "call_a");
    assertThat(read("call_a").call().client()).isEqualTo("team");
    assertThat(read("call_a").attempts()).hasSize(2);
  }

  @Test
  void pagesAndFilters() throws Exception {
    for (int i = 0; i < 25; i++) {
      record("call_%02d".formatted(i), i % 5 == 0 ? "a" : "b", i % 7 == 0 ? "FATAL/auth" : null);
    }
    written();
    var reader = ledger.reader();
    var query = CallQuery.newest(10);
    var first = reader.calls(query);
    var second = reader.calls(query.from(first.next()));
    var third = reader.calls(query.from(second.next()));
    assertThat(first.calls().getFirst().id()).isEqualTo("call_24");
    assertThat(third.calls()).hasSize(5).last().extracting(CallRecord::id).isEqualTo("call_00");
    assertThat(third.next()).isNull();
    assertThat(reader.calls(CallQuery.newest(50).where(Field.RUN, "run-a")).calls()).hasSize(5);
    assertThat(reader.calls(CallQuery.newest(50).where(Field.CLIENT, "b").failed(true)).calls())
        .extracting(CallRecord::id)
        .containsExactly("call_21", "call_14", "call_07");
    assertThat(
            reader
                .calls(CallQuery.newest(50).where(Field.TARGET, "openai/gpt-4o").failed(false))
                .calls())
        .hasSize(21);
  }

  /**
   * Of names that are far apart among the numbers, and of names that share their first characters.
   */
  @Test
  void callsOfRareNamesAreFoundPageByPage() throws Exception {
    var longName = "m".repeat(300);
    for (int i = 0; i < 1_500; i++) {
      var start =
          new CallStart(
              "call_%04d".formatted(i),
              null,
              null,
              i % 2 == 0 ? "even" : "odd",
              NOON,
              "openai",
              "/v1",
              i % 333 == 0 ? "rare" : i % 500 == 1 ? longName + i : "common",
              false);
      ledger
          .recorder()
          .record(
              new CallRecord(
                  start, EndedCalls.outcome(i % 7 == 0 ? "FATAL/auth" : null), EndedCalls.cost(1)),
              List.of(),
              List.of());
    }
    written();
    var page = CallQuery.newest(2);
    assertThat(walk(page.where(Field.MODEL, "rare")))
        .containsExactly("call_1332", "call_0999", "call_0666", "call_0333", "call_0000");
    assertThat(walk(page.where(Field.MODEL, "rare").where(Field.CLIENT, "odd")))
        .containsExactly("call_0999", "call_0333");
    assertThat(walk(page.where(Field.MODEL, "rare").where(Field.TARGET, "openai/gpt-4o")))
        .containsExactly("call_1332", "call_0999", "call_0666", "call_0333");
    assertThat(walk(page.where(Field.MODEL, "rare").where(Field.CLASS, "FATAL")))
        .containsExactly("call_0000");
    assertThat(walk(page.where(Field.MODEL, longName + 501))).containsExactly("call_0501");
    assertThat(walk(page.where(Field.MODEL, longName))).isEmpty();
    assertThat(walk(CallQuery.newest(100).where(Field.CLIENT, "odd")))
        .hasSize(750)
        .startsWith("call_1499", "call_1497")
        .doesNotHaveDuplicates();
  }

  /** The ids of all pages; the cursor alone ends a list. */
  private List<String> walk(CallQuery query) {
    var ids = new ArrayList<String>();
    String cursor = null;
    do {
      var page = ledger.reader().calls(query.from(cursor));
      page.calls().forEach(call -> ids.add(call.id()));
      cursor = page.next();
    } while (cursor != null);
    return ids;
  }

  @Test
  void everyFilterFindsItsCallsAndNoOthers() throws Exception {
    record("call_a", "team", null);
    record("call_b", "team", "FATAL/auth");
    record("call_c", "other", "TRANSIENT/overloaded");
    written();
    assertThat(ids(newest().where(Field.MODEL, "assistant\ufffd"))).hasSize(3);
    assertThat(ids(newest().where(Field.MODEL, "assistant"))).isEmpty();
    assertThat(ids(newest().where(Field.STATUS, "200"))).containsExactly("call_a");
    assertThat(ids(newest().where(Field.STATUS, "503"))).containsExactly("call_c", "call_b");
    assertThat(ids(newest().where(Field.CLASS, "FATAL"))).containsExactly("call_b");
    assertThat(ids(newest().where(Field.KIND, "overloaded"))).containsExactly("call_c");
    assertThat(ids(newest().where(Field.KIND, "over"))).isEmpty();
    assertThat(ids(newest().where(Field.RECOVERY, "fallback"))).hasSize(3);
    assertThat(ids(newest().where(Field.RECOVERY, "fall"))).isEmpty();
    assertThat(ids(newest().between(NOON, NOON.plusSeconds(1)))).hasSize(3);
    assertThat(ids(newest().between(null, NOON))).isEmpty();
    assertThat(ids(newest().between(NOON.plusMillis(1), null))).isEmpty();
    assertThat(ids(newest().between(NOON.minus(Duration.ofDays(90)), NOON.minusSeconds(86400))))
        .isEmpty();
    assertThat(ids(newest().text("run-other"))).containsExactly("call_c");
    assertThat(ids(newest().text("call_b"))).containsExactly("call_b");
  }

  /**
   * Each call has 2 attempts, 321 ms to the first token of 4567 ms, 15 tokens and 1,234
   * nano-dollars.
   */
  @ParameterizedTest
  @CsvSource({
    "ATTEMPTS, 2, 2, 3, 1",
    "FIRST_TOKEN_MS, 321, 321, 322, 320",
    "TOTAL_MS, 4567, 4567, 4568, 4566",
    "TOKENS, 15, 15, 16, 14",
    "COST_USD, 0.000001234, 0.000001234, 0.000001235, 0.000001233",
  })
  void aRangeLetsThroughWhatIsShownAtItsEndsAndNothingBeyond(
      Measure measure, BigDecimal least, BigDecimal most, BigDecimal above, BigDecimal below)
      throws Exception {
    record("call_a", "team", null);
    written();
    assertThat(ids(within(measure, least, most))).containsExactly("call_a");
    assertThat(ids(within(measure, least, null))).hasSize(1);
    assertThat(ids(within(measure, null, most))).hasSize(1);
    assertThat(ids(within(measure, above, null))).isEmpty();
    assertThat(ids(within(measure, null, below))).isEmpty();
    assertThat(ids(within(measure, least, null).where(Field.CLIENT, "other"))).isEmpty();
  }

  /** A length is kept to the microsecond and shown in whole milliseconds. */
  @Test
  void whatIsShownAsAMillisecondIsInTheRangeOfThatMillisecond() throws Exception {
    var call = call("call_a", "team", null);
    var outcome = call.outcome();
    ledger
        .recorder()
        .record(
            new CallRecord(
                call.start(),
                new CallRecord.Outcome(
                    outcome.target(),
                    outcome.status(),
                    outcome.verdict(),
                    outcome.recovery(),
                    outcome.attempts(),
                    null,
                    Duration.ofNanos(7_999_000)),
                new CallRecord.Cost(null, null, null)),
            List.of(),
            List.of());
    written();
    var seven = BigDecimal.valueOf(7);
    assertThat(ids(within(Measure.TOTAL_MS, seven, seven))).containsExactly("call_a");
    assertThat(ids(within(Measure.TOTAL_MS, BigDecimal.valueOf(8), null))).isEmpty();
    for (var unknown : List.of(Measure.FIRST_TOKEN_MS, Measure.TOKENS, Measure.COST_USD)) {
      assertThat(ids(within(unknown, BigDecimal.ZERO, null))).as(unknown.wireName()).isEmpty();
    }
  }

  private static CallQuery within(
      Measure measure, @Nullable BigDecimal min, @Nullable BigDecimal max) {
    return newest().within(Map.of(measure, new Range(min, max)));
  }

  private static CallQuery newest() {
    return CallQuery.newest(10);
  }

  private List<String> ids(CallQuery query) {
    return ledger.reader().calls(query).calls().stream().map(CallRecord::id).toList();
  }

  /** Bodies of these tests are plain text. */
  protected static LedgerConfig searched(Path directory) {
    return LedgerConfig.in(directory).searching((body, part) -> new String(body, UTF_8));
  }

  private void say(String id, String asked, String answered) {
    ledger
        .recorder()
        .record(
            call(id, "team", null),
            List.of(),
            List.of(
                new Body(0, Part.REQUEST, asked.getBytes(UTF_8)),
                new Body(0, Part.RESPONSE, answered.getBytes(UTF_8)),
                new Body(1, Part.RESPONSE, "superseded".getBytes(UTF_8))));
  }

  private List<String> found(String words) {
    return ids(newest().text(words).inBodies(true));
  }

  @Test
  void callsAreFoundByTheWordsOfTheirBodies() throws Exception {
    say("call_a", "Refund order 17, café Zürich.", "Order 17 was refunded");
    say("call_b", "Where is /srv/data/report-2026.csv?", "返金は完了しました");
    written();
    ledger.close();
    ledger = open();
    assertThat(found("refund")).containsExactly("call_a");
    assertThat(found("REFUND cafe zurich")).containsExactly("call_a");
    assertThat(found("refund report")).isEmpty();
    assertThat(found("refun")).isEmpty();
    assertThat(found("refun*")).containsExactly("call_a");
    assertThat(found("\"order 17\" was")).containsExactly("call_a");
    assertThat(found("\"17 order\" refund")).isEmpty();
    assertThat(found("\"was order\"")).isEmpty();
    assertThat(found("report-2026.csv")).containsExactly("call_b");
    assertThat(found("data/rep*")).containsExactly("call_b");
    assertThat(found("完了")).containsExactly("call_b");
    assertThat(found("了完")).isEmpty();
    assertThat(found("superseded")).as("what the client did not get").isEmpty();
    assertThat(ids(newest().text("refund"))).as("for ids alone").isEmpty();
    assertThat(ids(newest().text("refund").inBodies(true).failed(true))).isEmpty();
    assertThat(ids(newest().text("order").inBodies(true).between(NOON.plusSeconds(1), null)))
        .isEmpty();
    assertThat(ids(newest().text("order").inBodies(true).where(Field.CLIENT, "team")))
        .containsExactly("call_a");
  }

  @Test
  void anIdIsAnIdBeforeItIsAWord() throws Exception {
    say("call_a", "what became of call_b and run-team?", "");
    say("call_b", "nothing", "");
    written();
    assertThat(found("call_b")).containsExactly("call_b");
    assertThat(found("run-team")).containsExactly("call_b", "call_a");
    assertThat(found("call_x")).isEmpty();
  }

  @Test
  void foundCallsComeInPages() throws Exception {
    for (int i = 0; i < 25; i++) {
      say("call_%02d".formatted(i), i % 2 == 0 ? "needle" : "hay", "");
    }
    written();
    var first = ledger.reader().calls(newest().text("needle").inBodies(true));
    var second = ledger.reader().calls(newest().text("needle").inBodies(true).from(first.next()));
    assertThat(first.calls()).hasSize(10).first().extracting(CallRecord::id).isEqualTo("call_24");
    assertThat(second.calls())
        .extracting(CallRecord::id)
        .containsExactly("call_04", "call_02", "call_00");
    assertThat(second.next()).isNull();
  }

  @Test
  void noTextIsAnOperator() throws Exception {
    say("call_a", "rock and roll or NOT near this", "");
    written();
    for (var hostile :
        List.of(
            "rock AND roll",
            "rock NOT roll",
            "NEAR(rock roll)",
            "rock^2",
            "\"rock",
            "rock\" roll",
            "words:rock",
            "-rock +roll",
            "rock & roll | this",
            "rock:* & roll",
            "'rock' <-> 'and'",
            "!rock",
            "rock\\",
            "rock' or 1=1 --",
            "(((rock",
            "*",
            "\"\"",
            "%_\\'\"",
            "\u0000rock",
            "\ud83d rock \ude00",
            "rock ".repeat(40_000),
            "x".repeat(1 << 20))) {
      assertThat(ids(newest().text(hostile).inBodies(true)))
          .as(hostile.substring(0, Math.min(40, hostile.length())))
          .isIn(List.of(), List.of("call_a"));
    }
    assertThat(found("rock AND roll")).containsExactly("call_a");
    assertThat(found("rock NOT roll")).as("a word like any other").containsExactly("call_a");
  }

  @Test
  void statisticsAddUpAcrossBatchesAndRestarts() throws Exception {
    record("call_a", "team", null);
    written();
    ledger.close();
    ledger = open();
    record("call_b", "team", "FATAL/auth");
    written();
    var week = Duration.ofDays(7);
    for (var by : StatsQuery.By.values()) {
      var rows =
          ledger.reader().stats(new StatsQuery(by, NOON.minus(week), NOON, Duration.ofHours(1)));
      var calls =
          rows.stream()
              .map(
                  row ->
                      "%s %s: %d calls, %d delivered, %s, %s, p50 %d"
                          .formatted(
                              row.at(),
                              row.key(),
                              row.stats().get(Counter.CALLS),
                              row.stats().get(Counter.DELIVERED),
                              row.stats().failedCalls(),
                              row.stats().failedAttempts(),
                              row.stats().total().percentileMillis(0.5)))
              .toList();
      var hour = "2026-11-21T12:00:00Z ";
      var both = ": 2 calls, 1 delivered, {auth=1}, {overloaded=4}, p50 4504";
      assertThat(calls)
          .as("by %s", by)
          .isEqualTo(
              switch (by) {
                case ALL -> List.of(hour + both);
                case MODEL -> List.of(hour + "assistant\ufffd" + both);
                case CLIENT -> List.of(hour + "team" + both);
                case TARGET ->
                    List.of(
                        hour + ": 1 calls, 0 delivered, {auth=1}, {}, p50 4504",
                        hour + "openai/gpt-4o: 1 calls, 1 delivered, {}, {overloaded=4}, p50 4504");
                case KIND ->
                    List.of(
                        hour + "auth: 1 calls, 0 delivered, {auth=1}, {}, p50 4504",
                        hour + "overloaded" + both);
                case AGENT -> List.of();
              });
    }
  }

  /** The sums that are kept of runs say what their calls do, for any time and across its ends. */
  @Test
  void costsOfRunsAreThoseOfTheirCalls() throws Exception {
    var random = new Random(11);
    recordRuns(random);
    try (var db = connect()) {
      for (int i = 0; i < 100; i++) {
        var query = costs(random);
        assertThat(RunCosts.ofRuns(db, query))
            .as("%s", query)
            .containsExactlyInAnyOrderElementsOf(RunCosts.ofCalls(db, query));
      }
    }
  }

  @Test
  void costsOfRunsGoWithTheDaysThatAreNotKept() throws Exception {
    var random = new Random(12);
    recordRuns(random);
    var kept = NOON.plus(Duration.ofDays(2)).truncatedTo(ChronoUnit.DAYS);
    try (var db = connect()) {
      boolean more = true;
      while (more) {
        more = RunCosts.retain(db, NOON.plus(Duration.ofDays(2)), "");
      }
      for (int i = 0; i < 100; i++) {
        var query = costs(random);
        var from = query.from().isAfter(kept) ? query.from() : kept;
        assertThat(RunCosts.ofRuns(db, query))
            .as("%s", query)
            .containsExactlyInAnyOrderElementsOf(
                from.isAfter(query.to())
                    ? List.of()
                    : RunCosts.ofCalls(db, new CostQuery(By.RUN, from, query.to())));
      }
    }
  }

  /** Some 40 runs of 4 days and as many short ones. */
  private void recordRuns(Random random) throws Exception {
    for (int i = 0; i < 600; i++) {
      boolean isLong = random.nextBoolean();
      int run = random.nextInt(40);
      int second = isLong ? random.nextInt(350_000) : run * 8_000 + random.nextInt(3_000);
      var verdict = random.nextInt(5) == 0 ? "FATAL/auth" : null;
      ledger
          .recorder()
          .record(
              new CallRecord(
                  new CallStart(
                      "call_" + i,
                      (isLong ? "long-" : "short-") + run,
                      null,
                      "team",
                      NOON.plusSeconds(second),
                      "openai",
                      "/v1",
                      "m",
                      false),
                  EndedCalls.outcome(verdict),
                  EndedCalls.cost(random.nextInt(3) * 1_000L)),
              List.of(),
              List.of());
    }
    written();
  }

  /** Between two instants from before the calls of {@link #recordRuns} to after them. */
  private static CostQuery costs(Random random) {
    var from = NOON.plusSeconds(random.nextInt(400_000) - 30_000);
    return new CostQuery(By.RUN, from, from.plusSeconds(random.nextInt(300_000)));
  }

  @Test
  void costsAreSummed() throws Exception {
    record("call_a", "team", null);
    record("call_b", "team", "FATAL/auth");
    record("call_c", null, null);
    written();
    for (var by : List.of(By.MODEL, By.CLIENT, By.RUN, By.DAY)) {
      var sums =
          ledger
              .reader()
              .costs(
                  new CostQuery(by, NOON.minus(Duration.ofDays(1)), NOON.plus(Duration.ofDays(1))));
      assertThat(sums).as("by %s", by).isNotEmpty();
      assertThat(sums.stream().mapToLong(CostQuery.Sum::calls).sum())
          .as("by %s", by)
          .isEqualTo(by == By.RUN ? 2 : 3);
      if (by == By.DAY) {
        assertThat(sums).extracting(CostQuery.Sum::key).containsExactly("2026-11-21");
        assertThat(sums.getFirst().costNanos()).isEqualTo(6 * 600);
        assertThat(sums.getFirst().failed()).isEqualTo(1);
      }
    }
  }

  @Test
  void callsUnderOneRunAddUp() throws Exception {
    ledger.recorder().record(call("call_1", "a", null), List.of(), List.of());
    ledger.recorder().record(call("call_2", "a", "FATAL/auth"), List.of(), List.of());
    ledger.recorder().record(call("call_3", "b", null), List.of(), List.of());
    assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
    try (var reader = ledger.reader()) {
      var runs = reader.callRuns(new CallRun.Query(9, null, null, "a", null, NOON, null));
      assertThat(runs).hasSize(1);
      assertThat(runs.getFirst().id()).isEqualTo(new CallRun.Id("a", "run-a"));
      assertThat(runs.getFirst().lastFailed()).isTrue();
      assertThat(runs.getFirst().sums())
          .isEqualTo(new CallRun.Sums(2, 1, 4, new Tokens(2, 4, 6, 8, 10, false), 2_468L, 0));
      var place = new CallRun.Place(NOON, "run-b");
      assertThat(reader.callRuns(new CallRun.Query(9, place, null, null, null, null, null)))
          .extracting(run -> run.id().run())
          .containsExactly("run-a");
    }
  }

  @Test
  void runsAreFoundByWhatOneOfTheirCallsIs() throws Exception {
    ledger.recorder().record(call("call_1", "a", null), List.of(), List.of());
    ledger.recorder().record(call("call_2", "a", "FATAL/auth"), List.of(), List.of());
    ledger.recorder().record(call("call_3", "b", null), List.of(), List.of());
    assertThat(ledger.recorder().flush(PATIENCE)).isTrue();
    var runs = List.of("run-a", "run-b", "run-none");
    try (var reader = ledger.reader()) {
      var one = reader.calls(CallQuery.newest(1)).calls().getFirst();
      var like = new EnumMap<CallQuery.Field, String>(CallQuery.Field.class);
      like.put(CallQuery.Field.MODEL, String.valueOf(one.modelAsked()));
      like.put(CallQuery.Field.TARGET, String.valueOf(one.target()));
      assertThat(reader.runsWith(null, runs, like)).containsExactlyInAnyOrder("run-a", "run-b");
      assertThat(reader.runsWith("a", runs, like)).containsExactly("run-a");
      assertThat(reader.runsWith("", runs, like)).isEmpty();
      // No target answered the call that failed.
      like.remove(CallQuery.Field.TARGET);
      for (var field :
          Map.of(CallQuery.Field.CLASS, "FATAL", CallQuery.Field.KIND, "auth").entrySet()) {
        like.put(field.getKey(), field.getValue());
        assertThat(reader.runsWith(null, runs, like)).containsExactly("run-a");
      }
      // One call must have all of it.
      like.put(CallQuery.Field.KIND, "timeout");
      assertThat(reader.runsWith(null, runs, like)).isEmpty();
      for (var recovery : one.recovery()) {
        assertThat(reader.runsWith(null, runs, Map.of(CallQuery.Field.RECOVERY, recovery)))
            .containsExactlyInAnyOrder("run-a", "run-b");
      }
      assertThat(reader.runsWith(null, runs, Map.of(CallQuery.Field.RECOVERY, "replay"))).isEmpty();
      assertThat(reader.runsWith(null, List.of(), like)).isEmpty();
      var two = Objects.requireNonNull(reader.call("call_2")).call();
      var three = Objects.requireNonNull(reader.call("call_3")).call();
      assertThat(reader.lastCalls(runs)).isEqualTo(Map.of("run-a", two, "run-b", three));
      assertThat(reader.lastCalls(List.of())).isEmpty();
      assertThat(reader.callsById(List.of("call_3", "call_none", "call_2")))
          .isEqualTo(Map.of("call_2", two, "call_3", three));
      assertThat(reader.callsById(List.of())).isEmpty();
    }
  }
}
