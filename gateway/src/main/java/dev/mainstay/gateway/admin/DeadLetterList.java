package dev.mainstay.gateway.admin;

import dev.mainstay.gateway.admin.KeptJson.DeadLetter;
import dev.mainstay.gateway.admin.KeptJson.DeadLetters;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.api.Times;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.KeptCalls.DeadLetterQuery;
import dev.mainstay.ledger.state.KeptCalls.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/dead-letters}: calls and runs in one list, the newest first. */
final class DeadLetterList {
  private static final Comparator<DeadLetter> NEWEST =
      Comparator.comparing(DeadLetter::acceptedAt).thenComparing(DeadLetter::id).reversed();

  private final @Nullable DurableState state;
  private final @Nullable LedgerReader reader;

  /**
   * @param reader knows the verdicts of runs, or null
   */
  DeadLetterList(@Nullable DurableState state, @Nullable LedgerReader reader) {
    this.state = state;
    this.reader = reader;
  }

  Route route() {
    return Route.get(
            "/api/dead-letters",
            Role.VIEWER,
            "listDeadLetters",
            "Calls and runs that Mainstay gave up on, with their evidence, newest first",
            (Route.Handler.Blocking) this::list)
        .with("limit", "integer", "dead letters per page, 1 to 1000; default 100")
        .with("cursor", "string", "next of the previous page; a page may be short")
        .with("kind", "string", "call or run")
        .with("state", "string", "dead, redriven or discarded")
        .with("client", "string", "only those of this client")
        .with("from", "string", "only those accepted at this time or later: a day or an instant")
        .with(
            "to", "string", "only those accepted before this time: an instant, or a day (its end)")
        .gives(DeadLetters.class);
  }

  private Route.Reply list(Route.ApiRequest asked) {
    var kind = oneOf(asked, "kind", "call", "run");
    var stand = oneOf(asked, "state", "dead", "redriven", "discarded");
    int size = CallParameters.size(asked.query("limit"));
    var scope = Cursors.scope("dead-letters", asked);
    var query =
        new DeadLetterQuery(
            size + 1,
            Cursors.place(scope, asked.query("cursor")),
            stand == null ? null : Status.valueOf(stand.toUpperCase(Locale.ROOT)),
            asked.query("client"),
            Times.of("from", asked.query("from"), false),
            Times.of("to", asked.query("to"), true));
    var letters = new ArrayList<DeadLetter>();
    if (!"run".equals(kind)) {
      Cursors.wait(Cursors.state(state).keptCalls().deadLetters(query))
          .forEach(kept -> letters.add(KeptJson.deadLetter(kept)));
    }
    if (!"call".equals(kind)) {
      letters.addAll(runs(query));
    }
    letters.sort(NEWEST);
    var page =
        Cursors.page(letters, size, each -> new Place(each.acceptedAt(), each.id()).cursor(scope));
    // A run's state is that of its messages, which are read with it.
    var fitting =
        page.rows().stream().filter(each -> stand == null || stand.equals(each.state())).toList();
    return Route.Reply.ok(new DeadLetters(fitting, page.next()));
  }

  private List<DeadLetter> runs(DeadLetterQuery query) {
    var runs = Cursors.state(state).runs();
    var filter = RunStore.Filter.ended("dead_letter", query.client(), null);
    var found =
        Cursors.wait(
            runs.list(
                new RunStore.Query(
                    query.limit(), query.before(), filter, query.from(), query.to())));
    var ids = found.stream().map(RunStore.Run::id).toList();
    var settled = Cursors.wait(runs.settled(ids));
    // Of its last call, after which the run was given up on; null where a tool was to blame.
    var last = reader == null ? Map.<String, CallRecord>of() : reader.lastCalls(ids);
    return found.stream()
        .map(
            run -> {
              var call = last.get(run.id());
              return KeptJson.deadLetter(
                  run, call == null ? null : call.verdict(), settled.get(run.id()));
            })
        .toList();
  }

  private static @Nullable String oneOf(Route.ApiRequest asked, String name, String... allowed) {
    var value = asked.query(name);
    if (value != null && !List.of(allowed).contains(value)) {
      throw ApiException.invalid(name + " is not " + value, allowed);
    }
    return value;
  }
}
