package dev.mainstay.engine.money;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.config.Budget;
import dev.mainstay.config.Client;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.state.Budgets;
import dev.mainstay.ledger.state.Budgets.Allowance;
import dev.mainstay.ledger.state.Budgets.Reservation;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps clients and their runs within their budgets. Thread-safe; nothing in it blocks. */
public final class Spending {
  private static final String CLIENT = "client:";
  private static final String RUN = "run:";

  /** What a run's budget waits for is a person. */
  /** A budget of which no more than this part is left has been spent. */
  private static final long NEARLY_SPENT = 10;

  private static final Duration FOR_A_PERSON = Duration.ofHours(1);

  /** Without a store nobody knows what was spent: money is not given out on trust. */
  private static final BudgetReservation.Answer.Refused UNWRITTEN =
      new BudgetReservation.Answer.Refused(
          "this client has a budget, and Mainstay cannot write to the store that keeps it",
          false,
          Duration.ofSeconds(5));

  /** Calls that hold a reservation end by themselves, and most leave much of it. */
  private static final Duration FOR_OTHERS = Duration.ofSeconds(1);

  /** Told of budgets that are spent, for alerts. */
  @FunctionalInterface
  public interface Listener {
    /** {@code account} has no room for another call until its period ends; says so in words. */
    void exhausted(String account, String message);
  }

  private final @Nullable DurableState state;
  private final Supplier<Prices> prices;
  private final InstantSource clock;
  private final Listener listener;

  /** What each call under way may spend. */
  private final ConcurrentHashMap<String, CallBudgetReservation> reservations =
      new ConcurrentHashMap<>();

  /**
   * @param state where budgets are kept; where there is none, calls that have a budget are refused
   * @param prices those of the moment; a call keeps those of its beginning
   */
  public Spending(
      @Nullable DurableState state,
      Supplier<Prices> prices,
      InstantSource clock,
      Listener listener) {
    this.state = state;
    this.prices = prices;
    this.clock = clock;
    this.listener = listener;
  }

  /** Whether a call may spend. */
  public sealed interface Entry {
    /** It may; what it may cost is reserved, and this is on disk. */
    record Granted(BudgetReservation reservation) implements Entry {}

    /**
     * It may not now.
     *
     * @param forGood whether waiting for calls under way does not help
     * @param after how long to wait before asking again
     */
    record Refused(String message, boolean forGood, Duration after) implements Entry {}

    /** The store does not confirm a reservation now. */
    record Unwritten(String message, Duration after) implements Entry {}

    /** Nobody can say what it would cost. */
    record Unpriced(String message) implements Entry {}
  }

  /** Whether the calls of {@code client} are held to a budget. */
  public static boolean limits(@Nullable Client client, @Nullable String run) {
    return client != null
        && (client.budget() != null || (client.runNanos() != null && run != null));
  }

  /**
   * Reserves what a call may cost.
   *
   * @param client one that {@link #limits} holds to a budget
   */
  public CompletionStage<Entry> reserve(
      String call,
      Client client,
      @Nullable String run,
      Operation operation,
      RequestHead head,
      byte[] body,
      Route route) {
    if (operation == Operation.COUNT_TOKENS || operation == Operation.GEMINI_COUNT_TOKENS) {
      return CompletableFuture.completedStage(new Entry.Granted(BudgetReservation.OPEN));
    }
    var now = clock.instant();
    var day = LocalDate.ofInstant(now, ZoneOffset.UTC);
    var known = prices.get();
    var assumed = client.budget() == null ? null : client.budget().reserve();
    var bound = CostBound.of(operation, head, body, route.targets(), known, day, assumed);
    var nanos = bound.nanos();
    if (nanos == null) {
      return CompletableFuture.completedStage(
          new Entry.Unpriced("this client has a budget in money, and " + bound.unknown()));
    }
    if (state == null) {
      return CompletableFuture.completedStage(
          new Entry.Unpriced("this client has a budget, and this gateway has no store for it"));
    }
    var held = allowances(client, run, now);
    CallBudgetReservation.Bounds bounds =
        (target, as, sent) ->
            CostBound.of(
                as, RequestReader.read(as, sent), sent, List.of(target), known, day, assumed);
    var reservation =
        new CallBudgetReservation(
            nanos,
            bound.tools(),
            bounds,
            (more, all) -> held(call, client, held, more, all, clock.instant()));
    reservations.put(call, reservation);
    return held(call, client, held, nanos, nanos, now)
        .thenApply(
            answer ->
                switch (answer) {
                  case BudgetReservation.Answer.Granted _ -> new Entry.Granted(reservation);
                  case BudgetReservation.Answer.Refused no -> {
                    reservations.remove(call);
                    yield no.equals(UNWRITTEN)
                        ? new Entry.Unwritten(no.message(), no.after())
                        : new Entry.Refused(no.message(), no.forGood(), no.after());
                  }
                });
  }

  private CompletionStage<BudgetReservation.Answer> held(
      String call, Client client, List<Allowance> of, long more, long all, Instant now) {
    if (state == null) {
      throw new IllegalStateException("there is no store");
    }
    return state
        .budgets()
        .reserve(call, of, more, now)
        .handle(
            (reservation, failed) ->
                switch (reservation) {
                  case Reservation.Granted _ -> new BudgetReservation.Answer.Granted();
                  case Reservation.Refused refused -> refused(refused, all, client, now);
                  case null -> UNWRITTEN;
                });
  }

  /** The account that a client's budget bounds. */
  public static String account(Client client) {
    return CLIENT + client.name();
  }

  /** The account of what a client may spend on {@code run}. */
  public static String runAccount(Client client, String run) {
    return RUN + client.name() + "/" + run;
  }

  private static List<Allowance> allowances(Client client, @Nullable String run, Instant now) {
    var list = new ArrayList<Allowance>(2);
    var budget = client.budget();
    if (budget != null) {
      list.add(
          new Allowance(account(client), budget.per().start(now).getEpochSecond(), budget.nanos()));
    }
    var runNanos = client.runNanos();
    if (runNanos != null && run != null) {
      list.add(new Allowance(runAccount(client, run), 0, runNanos));
    }
    return list;
  }

  private BudgetReservation.Answer refused(
      Reservation.Refused refused, long nanos, Client client, Instant now) {
    var of = refused.of();
    var budget = client.budget();
    boolean ofRun = of.account().startsWith(RUN);
    var what = "the budget of this " + (ofRun ? "run" : "client") + ", " + usd(of.nanos());
    if (!ofRun && budget != null) {
      what += " per " + budget.per().name().toLowerCase(Locale.ROOT);
    }
    if (refused.spent() + nanos <= of.nanos()) {
      return new BudgetReservation.Answer.Refused(
          what + ", is reserved by running calls", false, FOR_OTHERS);
    }
    var left = Math.max(0, of.nanos() - refused.spent());
    var message = what + ", has " + usd(left) + " left, and this call may cost " + usd(nanos);
    if (left <= of.nanos() / NEARLY_SPENT) {
      // A call that may cost more than is left proves nothing while much is left.
      listener.exhausted(of.account(), message);
    }
    if (ofRun) {
      message += "; a run's budget does not renew: raise it or start another run";
    }
    return new BudgetReservation.Answer.Refused(
        message, true, ofRun || budget == null ? FOR_A_PERSON : until(budget, now));
  }

  private static Duration until(Budget budget, Instant now) {
    return Duration.between(now, budget.per().end(now));
  }

  static String usd(long nanos) {
    var amount = BigDecimal.valueOf(nanos, 9).stripTrailingZeros();
    return (amount.scale() < 2 ? amount.setScale(2) : amount).toPlainString() + " USD";
  }

  /** A call has ended: what it cost is booked, its failed attempts included. */
  public void ended(CallRecord call) {
    var reservation = reservations.remove(call.id());
    if (reservation != null) {
      settle(call.id(), reservation.spent());
    }
  }

  /** A call was refused before it began, and costs nothing. */
  public void refused(String call) {
    if (reservations.remove(call) != null) {
      settle(call, 0);
    }
  }

  private void settle(String call, long nanos) {
    if (state != null) {
      state.budgets().settle(call, nanos);
    }
  }

  /** What was spent, for people. */
  public CompletionStage<List<Budgets.Account>> accounts() {
    return state == null ? CompletableFuture.completedStage(List.of()) : state.budgets().accounts();
  }
}
