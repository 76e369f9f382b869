package dev.mainstay.gateway;

import dev.mainstay.http.Role;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.stats.StatsQuery;
import dev.mainstay.ledger.stats.StatsQuery.By;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * {@code GET /api/search?q=}: ids of calls and runs, and models, clients, targets, kinds and agents
 * of the last 30 days. Blocks on the ledger.
 */
final class SearchApi {
  private static final Duration PAST = Duration.ofDays(30);
  private static final Duration ALL_OF_IT = Duration.ofDays(1000);
  private static final int MOST_OF_A_SORT = 10;
  private static final int LONGEST = 200;
  private static final List<By> NAMES = List.of(By.MODEL, By.TARGET, By.CLIENT, By.KIND, By.AGENT);

  private final Supplier<LedgerReader> reader;
  private final InstantSource clock;

  SearchApi(Supplier<LedgerReader> reader, InstantSource clock) {
    this.reader = reader;
    this.clock = clock;
  }

  /**
   * Something that was found.
   *
   * @param type call, run, model, target, client, kind or agent
   * @param name its id or name, which is also the value of the filter of that name
   */
  record Hit(String type, String name) {}

  /** All that was found, ids first. */
  record Hits(List<Hit> hits) {}

  Route route() {
    return Route.get(
            "/api/search",
            Role.VIEWER,
            "search",
            "Calls and runs by their id; models, targets, clients, kinds and agents by a part of"
                + " their name",
            (Route.Handler.Blocking) this::answer)
        .with("q", "string", "an id, or a part of a name; capitals do not matter")
        .gives(Hits.class);
  }

  private Route.Reply answer(Route.ApiRequest asked) {
    var text = asked.query("q");
    if (text == null || text.length() > LONGEST) {
      throw ApiException.invalid("q is a text of at most " + LONGEST + " characters");
    }
    var hits = new ArrayList<Hit>();
    var from = reader.get();
    for (var call : from.calls(CallQuery.newest(1).text(text)).calls()) {
      hits.add(call.id().equals(text) ? new Hit("call", text) : new Hit("run", text));
    }
    var part = text.toLowerCase(Locale.ROOT);
    var now = clock.instant();
    for (var by : NAMES) {
      from.stats(new StatsQuery(by, now.minus(PAST), now, ALL_OF_IT)).stream()
          .map(StatsQuery.Row::key)
          .filter(key -> !key.isEmpty() && key.toLowerCase(Locale.ROOT).contains(part))
          .limit(MOST_OF_A_SORT)
          .forEach(key -> hits.add(new Hit(by.wireName(), key)));
    }
    return Route.Reply.ok(new Hits(hits));
  }
}
