package dev.mainstay.gateway.admin;

import dev.mainstay.call.redact.Redaction;
import dev.mainstay.config.Config;
import dev.mainstay.engine.DurableCalls;
import dev.mainstay.gateway.api.ApiAnswers;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.KeptCalls.Kept;
import dev.mainstay.ledger.state.KeptCalls.Status;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What of the admin API reads and changes the durable state. */
public final class StateApi {
  private static final String NO_STORE = "this gateway has no store";

  private static final String CALLS = "/api/calls/";
  private static final String LETTERS = "/api/dead-letters";

  private final @Nullable DurableState state;
  private final @Nullable LedgerReader reader;
  private final DurableCalls durable;
  private final Supplier<Config> current;
  private final Supplier<Access> access;

  /**
   * @param state null where nothing is kept
   * @param reader null where the ledger is not to be read
   */
  public StateApi(
      @Nullable DurableState state,
      @Nullable LedgerReader reader,
      DurableCalls durable,
      Supplier<Config> current,
      Supplier<Access> access) {
    this.state = state;
    this.reader = reader;
    this.durable = durable;
    this.current = current;
    this.access = access;
  }

  /** The call that a dead letter was redriven as. */
  record RedrivenCall(String call) {}

  /** A dead letter that was discarded. */
  record DiscardedCall(String deadLetter, String state) {}

  List<Route> routes() {
    return List.of(
        new AlertList(state).route(),
        new BudgetList(state, current).route(),
        new DeadLetterList(state, reader).route(),
        Route.get(
                LETTERS + "/{id}",
                Role.OPERATOR,
                "showDeadLetter",
                "A dead letter with its evidence",
                loop((exchange, asked) -> letter(exchange, asked.segment("id"))))
            .gives(KeptJson.WholeDeadLetter.class),
        Route.post(
                LETTERS + "/{id}/redrive",
                Role.OPERATOR,
                "redriveDeadLetter",
                "Repeats the call, once",
                loop((exchange, asked) -> redrive(exchange, asked.segment("id"))))
            .gives(202, RedrivenCall.class),
        Route.post(
                LETTERS + "/{id}/discard",
                Role.OPERATOR,
                "discardDeadLetter",
                "Discards the call for good",
                loop((exchange, asked) -> discard(exchange, asked.segment("id"))))
            .gives(DiscardedCall.class));
  }

  private static Route.Handler loop(Route.Handler.OnLoop handler) {
    return handler;
  }

  private void letter(Exchange exchange, String id) {
    if (state == null) {
      ApiAnswers.error(exchange, 503, NO_STORE);
    } else {
      find(exchange, state, id, kept -> isLetter(kept) ? KeptJson.whole(kept, redactor()) : null);
    }
  }

  private void redrive(Exchange exchange, String id) {
    if (state == null) {
      ApiAnswers.error(exchange, 503, NO_STORE);
    } else {
      durable
          .redrive(id)
          .whenComplete((made, failed) -> taken(exchange, id, made == null ? null : first(made)));
    }
  }

  private void discard(Exchange exchange, String id) {
    if (state == null) {
      ApiAnswers.error(exchange, 503, NO_STORE);
    } else {
      state
          .keptCalls()
          .discard(id)
          .whenComplete(
              (done, failed) ->
                  taken(
                      exchange,
                      id,
                      done == null
                          ? null
                          : done ? Map.of("dead_letter", id, "state", "discarded") : Map.of()));
    }
  }

  private Redactor redactor() {
    return Redaction.of(current.get().recording().redact());
  }

  private static Map<String, Object> first(List<String> made) {
    return made.isEmpty() ? Map.of() : Map.of("call", made.getFirst());
  }

  private static boolean isLetter(Kept kept) {
    return kept.stand() != Status.RUNNING && kept.stand() != Status.ANSWERED;
  }

  /**
   * @param done what was done; empty where it was not to be done, null where the store failed
   */
  private void taken(Exchange exchange, String id, @Nullable Map<String, Object> done) {
    if (state == null || done == null) {
      ApiAnswers.error(exchange, 500, "Mainstay cannot write to the store at the moment");
    } else if (!done.isEmpty()) {
      exchange.respond(done.containsKey("call") ? 202 : 200, "application/json", Json.of(done));
    } else {
      state
          .keptCalls()
          .find(id)
          .whenComplete(
              (found, failed) -> {
                if (found == null || found.isEmpty() || !isLetter(found.getFirst())) {
                  ApiAnswers.error(exchange, 404, "no dead letter has this id");
                } else {
                  var stand = found.getFirst().stand().name().toLowerCase(Locale.ROOT);
                  ApiAnswers.error(exchange, 409, "this dead letter was " + stand + " already");
                }
              });
    }
  }

  private static void find(
      Exchange exchange, DurableState from, String id, Function<Kept, @Nullable Object> write) {
    from.keptCalls()
        .find(id)
        .whenComplete(
            (found, failed) -> {
              var body = found == null || found.isEmpty() ? null : write.apply(found.getFirst());
              if (body == null) {
                ApiAnswers.error(exchange, 404, "nothing has this id");
              } else {
                exchange.respond(200, "application/json", Json.of(body));
              }
            });
  }

  /** What is kept of a call, or null; blocks, and so is not for an event loop. */
  KeptJson.@Nullable KeptCall kept(String id) {
    if (state == null) {
      return null;
    }
    var found = state.keptCalls().find(id).toCompletableFuture().join();
    return found.isEmpty() ? null : KeptJson.ofCall(found.getFirst());
  }

  /**
   * Gives a client the answer of a call of its own that it did not wait for.
   *
   * @return whether it answered: it was asked for one, with a client's key
   */
  boolean ownAnswer(Exchange exchange) {
    var path = exchange.path();
    if (state == null
        || !exchange.method().equals("GET")
        || !path.startsWith(CALLS)
        || !(access.get().client(exchange) instanceof Access.Entry.In in)
        || in.client() == null) {
      return false;
    }
    var name = in.client().name();
    find(
        exchange,
        state,
        path.substring(CALLS.length()),
        kept -> kept.request().client().equals(name) ? KeptJson.ofCall(kept) : null);
    return true;
  }
}
