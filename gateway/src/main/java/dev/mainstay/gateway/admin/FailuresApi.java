package dev.mainstay.gateway.admin;

import static java.util.Objects.requireNonNull;

import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.http.Routes.Flat;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.FailureCases.Case;
import dev.mainstay.ledger.state.FailureCases.Failure;
import dev.mainstay.ledger.state.FailureCases.Note;
import dev.mainstay.ledger.state.FailureCases.Occurrences;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /api/failures}: failures of one rule, provider and message as one case. */
public final class FailuresApi {
  private static final String PATH = "/api/failures";
  private static final int LONGEST_NOTE = 10_000;

  private final @Nullable DurableState state;
  private final InstantSource clock;

  public FailuresApi(@Nullable DurableState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /**
   * A case. Its JSON is flat.
   *
   * @param meaning what its class and kind mean for whoever has to do something
   * @param state {@code open}, {@code closed}, or {@code reopened}: seen again since it was closed
   */
  record FailureCase(
      String id, @Flat Failure failure, String meaning, @Flat Occurrences seen, String state) {
    /** As {@code caller} may see it: a message may quote a prompt, which is not for viewers. */
    static FailureCase of(Case from, Caller caller) {
      var closed = from.closedAt();
      return new FailureCase(
          from.id(),
          caller.role().includes(Role.OPERATOR) ? from.failure() : from.failure().withoutMessage(),
          FailuresApi.meaningOf(from.failure().verdict()),
          from.seen(),
          closed == null ? "open" : from.seen().lastSeen().isAfter(closed) ? "reopened" : "closed");
    }
  }

  /** What a person wrote about a case. */
  record CaseNote(Instant at, String by, String text) {}

  /** A case with what people wrote about it. */
  record CaseWithNotes(@Flat FailureCase failure, List<CaseNote> notes) {}

  /** A page of cases; {@code next} is the cursor of the next page, null on the last. */
  record CasePage(List<FailureCase> failures, @Nullable String next) {}

  /** What a person writes about a case. */
  record NewNote(String text) {}

  public List<Route> routes() {
    return List.of(
        Route.get(
                PATH,
                Role.VIEWER,
                "listFailures",
                "Failures by cause, the latest first",
                (Route.Handler.Blocking) this::list)
            .with("limit", "integer", "cases per page, 1 to 1000; default 100")
            .with("cursor", "string", "next of the previous page")
            .gives(CasePage.class),
        Route.get(
                PATH + "/{id}",
                Role.VIEWER,
                "showFailure",
                "A case with its notes",
                (Route.Handler.Blocking) this::show)
            .gives(CaseWithNotes.class),
        Route.post(
                PATH + "/{id}/close",
                Role.OPERATOR,
                "closeFailure",
                "Closes a case. Mainstay reopens it when the failure occurs again",
                (Route.Handler.Blocking) asked -> close(asked, clock.instant()))
            .gives(CaseWithNotes.class),
        Route.post(
                PATH + "/{id}/open",
                Role.OPERATOR,
                "openFailure",
                "Reopens a case",
                (Route.Handler.Blocking) asked -> close(asked, null))
            .gives(CaseWithNotes.class),
        Route.post(
                PATH + "/{id}/notes",
                Role.OPERATOR,
                "noteFailure",
                "Adds a note to a case",
                (Route.Handler.Blocking) this::note)
            .takes(NewNote.class)
            .gives(CaseWithNotes.class));
  }

  private Route.Reply list(Route.ApiRequest asked) {
    int size = CallParameters.size(asked.query("limit"));
    var behind = Cursors.place("failures", asked.query("cursor"));
    var found = Cursors.wait(Cursors.state(state).failureCases().page(behind, size + 1));
    var page =
        Cursors.page(
            found, size, each -> new Place(each.seen().lastSeen(), each.id()).cursor("failures"));
    return Route.Reply.ok(
        new CasePage(
            page.rows().stream().map(each -> FailureCase.of(each, asked.caller())).toList(),
            page.next()));
  }

  private Route.Reply show(Route.ApiRequest asked) {
    var cases = Cursors.state(state).failureCases();
    var found = Cursors.wait(cases.find(asked.segment("id")));
    if (found.isEmpty()) {
      throw unknown(asked);
    }
    var notes =
        Cursors.wait(cases.notes(asked.segment("id"))).stream()
            .map(note -> new CaseNote(note.at(), note.by(), note.text()))
            .toList();
    return Route.Reply.ok(
        new CaseWithNotes(FailureCase.of(found.getFirst(), asked.caller()), notes));
  }

  private Route.Reply close(Route.ApiRequest asked, @Nullable Instant at) {
    if (!Cursors.wait(Cursors.state(state).failureCases().close(asked.segment("id"), at))) {
      throw unknown(asked);
    }
    return show(asked);
  }

  private Route.Reply note(Route.ApiRequest asked) {
    var text = EvaluationsApi.text(asked.body(), "text", LONGEST_NOTE);
    var note = new Note(clock.instant(), asked.caller().name(), requireNonNull(text));
    if (!Cursors.wait(Cursors.state(state).failureCases().note(asked.segment("id"), note))) {
      throw unknown(asked);
    }
    return show(asked);
  }

  private static ApiException unknown(Route.ApiRequest asked) {
    return ApiException.notFound("there is no case " + asked.segment("id"));
  }

  private static String meaningOf(String verdict) {
    return switch (verdict.substring(0, Math.max(0, verdict.indexOf('/')))) {
      case "TRANSIENT" -> "The failure is temporary: Mainstay waits, retries or falls back.";
      case "LOGIC" -> "The request or the answer must change: Mainstay repairs it if it can.";
      default -> "No retry helps: a person must act.";
    };
  }
}
