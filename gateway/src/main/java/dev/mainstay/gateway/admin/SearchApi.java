package dev.mainstay.gateway.admin;

import dev.mainstay.call.recording.SearchableText;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.stats.StatsQuery;
import dev.mainstay.ledger.stats.StatsQuery.By;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /api/search?q=}: ids of calls and runs, models, clients, targets, kinds and agents of
 * the last 30 days, and calls by the words of their recorded bodies. Blocks on the ledger.
 */
final class SearchApi {
  private static final Duration PAST = Duration.ofDays(30);
  private static final Duration ALL_OF_IT = Duration.ofDays(1000);
  private static final int USUAL_OF_A_TYPE = 10;
  private static final int BEFORE = 60;
  private static final int AROUND = 200;
  private static final List<By> NAMES = List.of(By.MODEL, By.TARGET, By.CLIENT, By.KIND, By.AGENT);

  private final Supplier<LedgerReader> reader;
  private final TextAccess search;
  private final InstantSource clock;

  SearchApi(Supplier<LedgerReader> reader, TextAccess search, InstantSource clock) {
    this.reader = reader;
    this.search = search;
    this.clock = clock;
  }

  /**
   * Something that was found.
   *
   * @param type call, run, model, target, client, kind or agent
   * @param name its id or name, which is also the value of the filter of that name
   * @param text the text around the words that were found in a recorded body, or null
   */
  record Hit(String type, String name, @Nullable String text) {
    Hit(String type, String name) {
      this(type, name, null);
    }
  }

  /**
   * All that was found, ids first, calls by the words of their bodies last.
   *
   * @param bodies {@code searched}; {@code off} by the configuration; {@code forbidden} to the
   *     caller's role
   * @param next the cursor of further calls by their words, or null
   */
  record Hits(List<Hit> hits, String bodies, @Nullable String next) {}

  Route route() {
    return Route.get(
            "/api/search",
            Role.VIEWER,
            "search",
            "Finds calls and runs by their id, and models, targets, clients, kinds and agents by a"
                + " part of their name. For the role operator, also calls by the words of their"
                + " recorded bodies",
            (Route.Handler.Blocking) this::answer)
        .with("q", "string", "an id, a part of a name, or words; case does not matter")
        .with(
            "cursor",
            "string",
            "next of the previous page, which goes on with calls by their words")
        .with("limit", "integer", "hits of a type per page, 1 to 1000; default 10")
        .gives(Hits.class);
  }

  private Route.Reply answer(Route.ApiRequest asked) {
    var text = CallParameters.text("q", asked.query("q"));
    if (text == null) {
      throw ApiException.invalid("q is missing: an id, a part of a name, or words");
    }
    var hits = new ArrayList<Hit>();
    var from = reader.get();
    var scope = Cursors.scope("search", asked);
    var cursor = Cursors.toLedger(scope, asked.query("cursor"));
    var limit = asked.query("limit");
    int size = limit == null ? USUAL_OF_A_TYPE : CallParameters.size(limit);
    if (cursor == null) {
      addNamed(hits, from, text, size);
    }
    boolean isId = hits.stream().anyMatch(SearchApi::isId);
    String next = null;
    if (!isId && search.allowed(asked.caller())) {
      var words = CallQuery.newest(size).text(unfinished(text)).inBodies(true);
      var page = page(from, words.from(cursor));
      page.calls().forEach(call -> hits.add(withText(from, call.id(), text)));
      next = Cursors.ofLedger(scope, page.next());
    }
    return Route.Reply.ok(new Hits(hits, search.said(asked.caller()), next));
  }

  private static CallReader.Page page(LedgerReader from, CallQuery query) {
    try {
      return from.calls(query);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isId(Hit hit) {
    return hit.type().equals("call") || hit.type().equals("run");
  }

  /** What has {@code text} as its id, or in its name. */
  private void addNamed(List<Hit> hits, LedgerReader from, String text, int size) {
    for (var call : from.calls(CallQuery.newest(1).text(text)).calls()) {
      hits.add(call.id().equals(text) ? new Hit("call", text) : new Hit("run", text));
    }
    var part = text.toLowerCase(Locale.ROOT);
    var now = clock.instant();
    for (var by : NAMES) {
      from.stats(new StatsQuery(by, now.minus(PAST), now, ALL_OF_IT)).stream()
          .map(StatsQuery.Row::key)
          .filter(key -> !key.isEmpty() && key.toLowerCase(Locale.ROOT).contains(part))
          .limit(size)
          .forEach(key -> hits.add(new Hit(by.wireName(), key)));
    }
  }

  /** A text that is being typed: its last word may go on. */
  private static String unfinished(String text) {
    boolean inWord = Character.isLetterOrDigit(text.codePointBefore(text.length()));
    return inWord && text.indexOf('"') < 0 ? text + "*" : text;
  }

  private static Hit withText(LedgerReader from, String id, String asked) {
    var call = from.call(id);
    for (var body : call == null ? List.<CallReader.StoredBody>of() : call.bodies()) {
      if (body.attempt() == 0) {
        try {
          var around = around(SearchableText.INSTANCE.of(from.body(body), body.part()), asked);
          if (around != null) {
            return new Hit("call", id, around);
          }
        } catch (LedgerException e) {
          // Retention was faster.
        }
      }
    }
    return new Hit("call", id, "");
  }

  /** The text around the first of the words that stands in it, or null. */
  private static @Nullable String around(String text, String asked) {
    var small = text.toLowerCase(Locale.ROOT);
    for (var word : asked.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+")) {
      int at = word.isEmpty() ? -1 : small.indexOf(word);
      if (at >= 0 && at < text.length()) {
        int start = Math.max(0, at - BEFORE);
        return text.substring(start, Math.min(text.length(), start + AROUND))
            .replaceAll("[\\s\\p{Cntrl}]+", " ")
            .strip();
      }
    }
    return null;
  }
}
