package dev.mainstay.engine.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.SplicedBytes;
import dev.mainstay.wire.money.InputLimits;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls at once, each of attempts that cost nothing, what they say, or what nobody hears of: what
 * was truly paid never exceeds the budget, and what is booked is never less than what was paid.
 */
@Timeout(180)
final class SpendingPropertyTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final int DOLLAR = 1_000_000_000;
  private static final int CALLS = 100;

  @TempDir Path directory;

  private static Config config(int budget, int run) throws ConfigException {
    return ConfigLoader.parse(
        """
        server: { port: 0 }
        providers:
          one: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] }
        prices:
          - { model: one/m, unit: input, price: 0 }
          - { model: one/m, unit: output, price: 1000000 }
          - { model: one/s, unit: input, price: 1 }
          - { model: one/s, unit: output, price: 10 }
          - { model: one/s, unit: web-search, price: 100000 }
        clients:
          - { name: a, key: key-a-1, budget: { usd: %d, per: month }, run-budget: { usd: %d } }
        """
            .formatted(budget, run),
        "test.yaml",
        Map.of());
  }

  private static RequestHead head(byte[] body) {
    try {
      return RequestReader.read(Operation.CHAT, body);
    } catch (MalformedRequest e) {
      throw new AssertionError(e);
    }
  }

  /** A call with random attempts; how many it could pay for. */
  @FunctionalInterface
  private interface Calling {
    int call(Spending spending, Client client, String id, Random random, AtomicLong paid);
  }

  @Test
  void noBudgetIsEverOverspent() throws Exception {
    overspendsNothing(SpendingPropertyTest::call);
  }

  @Test
  void noBudgetIsEverOverspentByToolsOfTheProvidersOwn() throws Exception {
    overspendsNothing(SpendingPropertyTest::callWithTools);
  }

  private void overspendsNothing(Calling calling) throws Exception {
    int attempts = 0;
    for (int seed = 0; seed < 8; seed++) {
      var random = new Random(seed);
      int budget = 1 + random.nextInt(60);
      int run = 1 + random.nextInt(60);
      var config = config(budget, run);
      var client = config.clients().getFirst();
      var paid = new AtomicLong();
      var made = new AtomicLong();
      try (var ledger =
          SqliteLedger.open(
              LedgerConfig.in(directory.resolve("s" + seed)), InstantSource.fixed(NOON))) {
        var spending =
            new Spending(
                ledger.state(),
                () -> config.priceTable(),
                InstantSource.fixed(NOON),
                (account, message) -> {});
        var go = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < CALLS; i++) {
          var mine = new Random(random.nextLong());
          var id = "call_" + seed + "_" + i;
          threads.add(
              Thread.ofVirtual()
                  .start(
                      () -> {
                        try {
                          go.await();
                        } catch (InterruptedException e) {
                          return;
                        }
                        made.addAndGet(calling.call(spending, client, id, mine, paid));
                      }));
        }
        go.countDown();
        for (var thread : threads) {
          thread.join();
        }
        var accounts = spending.accounts().toCompletableFuture().join();
        assertThat(accounts).hasSizeLessThanOrEqualTo(2);
        for (var account : accounts) {
          long most = (account.account().startsWith("run:") ? run : budget) * (long) DOLLAR;
          assertThat(account.spent()).as("seed " + seed).isBetween(paid.get(), most);
          assertThat(account.reserved()).isZero();
        }
        assertThat(paid.get()).isLessThanOrEqualTo(Math.min(budget, run) * (long) DOLLAR);
      }
      attempts += (int) made.get();
    }
    assertThat(attempts).as("the test tries something").isGreaterThan(100);
  }

  /** One call of up to five attempts; how many it could pay for. */
  private static int call(
      Spending spending, Client client, String id, Random random, AtomicLong paid) {
    int tokens = 1 + random.nextInt(4);
    var body =
        ("{\"model\":\"one/m\",\"max_tokens\":" + tokens + ",\"messages\":[]}")
            .getBytes(StandardCharsets.UTF_8);
    var target = new TargetId("one", "m");
    var entry =
        spending
            .reserve(id, client, "r", Operation.CHAT, head(body), body, new Route(List.of(target)))
            .toCompletableFuture()
            .join();
    if (!(entry instanceof Spending.Entry.Granted granted)) {
      return 0;
    }
    int made = 0;
    for (int i = 0; i < 5; i++) {
      var answer =
          granted.reservation().before(target, Operation.CHAT, new SplicedBytes(body, List.of()));
      if (answer != null
          && answer.toCompletableFuture().join() instanceof BudgetReservation.Answer.Refused) {
        break;
      }
      made++;
      long cost = random.nextInt(tokens + 1) * (long) DOLLAR;
      switch (random.nextInt(3)) {
        case 0 -> granted.reservation().after(0L, true);
        case 1 -> {
          paid.addAndGet(cost);
          granted.reservation().after(cost, true);
        }
        default -> {
          paid.addAndGet(cost);
          granted.reservation().after(null, false);
        }
      }
    }
    spending.ended(ended(id));
    return made;
  }

  /**
   * A provider that searches as often as it may, reads up to all that it can each time, and tells
   * of it, tells of a part, or does not. Only what its own tools did can be unseen: where it has
   * none, what was seen is all.
   */
  private static int callWithTools(
      Spending spending, Client client, String id, Random random, AtomicLong paid) {
    boolean anthropic = random.nextBoolean();
    int most = random.nextInt(4);
    var operation = anthropic ? Operation.MESSAGES : Operation.RESPONSES;
    // A bound of 0 counts as none, so a call without searches offers no tool.
    var tools =
        most == 0
            ? ""
            : anthropic
                ? ",\"tools\":[{\"type\":\"web_search_20250305\",\"max_uses\":" + most + "}]"
                : ",\"tools\":[{\"type\":\"web_search\"}],\"max_tool_calls\":" + most;
    var body =
        (anthropic
                ? "{\"model\":\"s\",\"max_tokens\":9000,\"messages\":[]" + tools + "}"
                : "{\"model\":\"s\",\"max_output_tokens\":9000,\"input\":\"\"" + tools + "}")
            .getBytes(StandardCharsets.UTF_8);
    var target = new TargetId("one", "s");
    RequestHead head;
    try {
      head = RequestReader.read(operation, body);
    } catch (MalformedRequest e) {
      throw new AssertionError(e);
    }
    var entry =
        spending
            .reserve(id, client, "r", operation, head, body, new Route(List.of(target)))
            .toCompletableFuture()
            .join();
    if (!(entry instanceof Spending.Entry.Granted granted)) {
      return 0;
    }
    int made = 0;
    for (int i = 0; i < 3; i++) {
      var answer =
          granted.reservation().before(target, operation, new SplicedBytes(body, List.of()));
      if (answer != null
          && answer.toCompletableFuture().join() instanceof BudgetReservation.Answer.Refused) {
        break;
      }
      made++;
      int searches = most == 0 ? 0 : random.nextInt(most + 1);
      int readings = most == 0 ? 0 : anthropic ? random.nextInt(11) : searches;
      long tokens = 0;
      for (int reading = 0; reading < readings; reading++) {
        tokens += random.nextInt((int) InputLimits.UNKNOWN_CONTEXT + 1);
      }
      int written = random.nextInt(9_001) * (anthropic ? 1 + readings : 1);
      // In nano-dollars: what was read, what was written, what was searched for.
      long cost = tokens * 1_000 + written * 10_000L + searches * 100_000_000L;
      paid.addAndGet(cost);
      switch (random.nextInt(3)) {
        case 0 -> granted.reservation().after(cost, true);
        case 1 -> granted.reservation().after(most == 0 ? cost : cost / 100, false);
        default -> granted.reservation().after(null, false);
      }
    }
    spending.ended(ended(id));
    return made;
  }

  private static CallRecord ended(String id) {
    return new CallRecord(
        new CallStart(id, "r", null, "a", NOON, "openai", "/v1/chat/completions", "one/m", false),
        new CallRecord.Outcome(null, 200, null, List.of(), 1, null, Duration.ZERO),
        new CallRecord.Cost(null, null, null));
  }
}
