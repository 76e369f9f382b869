package dev.mainstay.gateway.admin;

import static dev.mainstay.gateway.api.Route.Reply.ok;

import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallReader.Page;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /api/calls}. Blocks on the ledger. */
final class CallsApi {
  private static final String CALLS = "/api/calls";

  private final Supplier<LedgerReader> reader;
  private final TextAccess search;
  private final StateApi state;

  CallsApi(Supplier<LedgerReader> reader, TextAccess search, StateApi state) {
    this.reader = reader;
    this.search = search;
    this.state = state;
  }

  List<Route> routes() {
    return List.of(
        CallParameters.describe(
                Route.get(
                    CALLS,
                    Role.VIEWER,
                    "listCalls",
                    "Calls, by their end, newest first",
                    (Route.Handler.Blocking) this::list))
            .gives(CallJson.Calls.class),
        Route.get(
                CALLS + "/{id}",
                Role.VIEWER,
                "showCall",
                "A call with its attempts and its recorded bodies",
                (Route.Handler.Blocking) this::show)
            .gives(CallJson.Whole.class)
            .gives(KeptJson.WholeKeptCall.class)
            .gives(KeptJson.KeptCall.class),
        Route.get(
                CALLS + "/{id}/bodies/{attempt}/{part}",
                Role.OPERATOR,
                "showBody",
                "The bytes of a body. Attempt 0 is the traffic between client and gateway; part is"
                    + " request or response",
                (Route.Handler.Blocking) this::body)
            .gives(null, "application/octet-stream"));
  }

  private Route.Reply list(Route.ApiRequest asked) {
    var scope = Cursors.scope("calls", asked);
    var query =
        CallParameters.query(asked::query)
            .from(Cursors.toLedger(scope, asked.query("cursor")))
            .inBodies(search.allowed(asked.caller()));
    try {
      var page = reader.get().calls(query);
      return ok(CallJson.of(new Page(page.calls(), Cursors.ofLedger(scope, page.next()))));
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(String.valueOf(e.getMessage()));
    }
  }

  private Route.Reply show(Route.ApiRequest asked) {
    var id = asked.segment("id");
    var kept = state.kept(id);
    var stored = stored(id);
    boolean seesBodies = asked.caller().role().includes(Role.OPERATOR);
    if (kept != null && !seesBodies) {
      kept = kept.withoutAnswer();
    }
    if (stored == null) {
      if (kept == null) {
        throw ApiException.notFound("there is no call " + id);
      }
      return ok(kept);
    }
    var whole = seesBodies ? CallJson.of(stored) : CallJson.of(stored).withoutBodies();
    return ok(kept == null ? whole : kept.with(whole));
  }

  /** A call that is kept for its client is known without a ledger too. */
  private @Nullable StoredCall stored(String id) {
    try {
      return reader.get().call(id);
    } catch (ApiException noLedger) {
      return null;
    }
  }

  private Route.Reply body(Route.ApiRequest asked) {
    var stored = reader.get().call(asked.segment("id"));
    if (stored != null) {
      for (var kept : stored.bodies()) {
        if (Integer.toString(kept.attempt()).equals(asked.segment("attempt"))
            && kept.part().wireName().equals(asked.segment("part"))) {
          return new Route.Reply(200, "application/octet-stream", read(kept));
        }
      }
    }
    throw ApiException.notFound("Mainstay has not kept this body");
  }

  private byte[] read(CallReader.StoredBody kept) {
    try {
      return reader.get().body(kept);
    } catch (LedgerException e) {
      throw ApiException.notFound("Mainstay has deleted this body");
    }
  }
}
