package dev.mainstay.gateway.admin;

import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.engine.money.Spending;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.state.Budgets.Account;
import dev.mainstay.ledger.state.DurableState;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/budgets}: what accounts have spent, the newest period first. */
record BudgetList(@Nullable DurableState state, Supplier<Config> current) {
  private static final Comparator<Place> NEWEST =
      Comparator.comparing(Place::at).reversed().thenComparing(Place::run);

  /** A page of accounts; {@code next} is the cursor of the next page, null on the last. */
  record Accounts(List<Spent> accounts, @Nullable String next) {}

  /**
   * An account with what bounds it now.
   *
   * @param account of a client, or of a run
   * @param period when its period began, or null where it has one alone
   * @param endsAt when its period ends, or null
   * @param limitUsd null where the configuration has no limit for it
   * @param reservedUsd by calls that have not ended
   */
  record Spent(
      String account,
      @Nullable Instant period,
      @Nullable Instant endsAt,
      @Nullable BigDecimal limitUsd,
      @Nullable BigDecimal spentUsd,
      @Nullable BigDecimal reservedUsd) {}

  Route route() {
    return Route.get(
            "/api/budgets",
            Role.VIEWER,
            "listBudgets",
            "What clients and runs have spent of their budgets",
            (Route.Handler.Blocking) this::list)
        .with("limit", "integer", "accounts per page, 1 to 1000; default 100")
        .with("cursor", "string", "next of the previous page")
        .gives(Accounts.class);
  }

  private Route.Reply list(Route.ApiRequest asked) {
    int size = CallParameters.size(asked.query("limit"));
    var behind = Cursors.place("budgets", asked.query("cursor"));
    var found =
        Cursors.wait(Cursors.state(state).budgets().accounts()).stream()
            .filter(each -> behind == null || NEWEST.compare(place(each), behind) > 0)
            .sorted(Comparator.comparing(BudgetList::place, NEWEST))
            .limit(size + 1L)
            .toList();
    var page = Cursors.page(found, size, each -> place(each).cursor("budgets"));
    return Route.Reply.ok(
        new Accounts(page.rows().stream().map(this::spent).toList(), page.next()));
  }

  private static Place place(Account account) {
    return new Place(Instant.ofEpochSecond(account.period()), account.account());
  }

  private Spent spent(Account account) {
    var name = account.account();
    var began = account.period() == 0 ? null : Instant.ofEpochSecond(account.period());
    var budget = first(client -> name.equals(Spending.account(client)), Client::budget);
    var ofRun = first(client -> name.startsWith(Spending.runAccount(client, "")), Client::runNanos);
    return new Spent(
        name,
        began,
        budget == null || began == null ? null : budget.per().end(began),
        CallJson.usd(budget == null ? ofRun : (Long) budget.nanos()),
        CallJson.usd(account.spent()),
        CallJson.usd(account.reserved()));
  }

  private <T> @Nullable T first(Predicate<Client> which, Function<Client, @Nullable T> what) {
    return current.get().clients().stream()
        .filter(which)
        .map(what)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }
}
