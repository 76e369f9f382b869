package dev.mainstay.bench.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.state.AuditLog;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.Evaluations;
import dev.mainstay.ledger.state.FailureCases;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.ledger.state.StoredAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/** What a month leaves beside calls and runs: dead letters, failure cases, evaluations, audits. */
final class Paperwork {
  private static final int DEAD_LETTERS = 5_000;
  private static final int CASES = 5_000;
  private static final int EVALUATIONS = 20_000;
  private static final int AUDITED = 20_000;
  private static final int AT_ONCE = 250;
  private static final String FAILED = "FATAL/auth";

  private final DurableState state;
  private final Instant start;

  Paperwork(DurableState state, Instant now) {
    this.state = state;
    start = now.minus(Month.LENGTH);
  }

  void fill() {
    each(DEAD_LETTERS, this::deadLetter);
    each(CASES, number -> state.failureCases().seen(List.of(failureCase(number))));
    each(EVALUATIONS, number -> state.evaluations().add(evaluation(number)));
    each(AUDITED, number -> state.audit().add(audited(number)));
  }

  private static void each(int count, IntFunction<CompletionStage<?>> add) {
    for (int first = 0; first < count; first += AT_ONCE) {
      var asked = new ArrayList<CompletionStage<?>>();
      for (int number = first; number < first + AT_ONCE; number++) {
        asked.add(add.apply(number));
      }
      asked.forEach(Waiting::done);
    }
  }

  private Instant at(int number, int of) {
    return start.plus(Month.LENGTH.multipliedBy(number).dividedBy(of));
  }

  private CompletionStage<?> deadLetter(int number) {
    var id = "call_dead_%06d".formatted(number);
    var at = at(number, DEAD_LETTERS);
    var request =
        new KeptCalls.Request(
            "checkout",
            true,
            null,
            "hash",
            "/v1/chat/completions",
            "",
            List.of(Map.entry("content-type", "application/json")),
            "{\"model\":\"assistant\",\"messages\":[]}".getBytes(UTF_8));
    var answer =
        new StoredAnswer(
            id, 503, false, List.of(), "{\"error\":{\"message\":\"no\"}}".getBytes(UTF_8));
    return state
        .keptCalls()
        .accept(id, request, at, start.plus(Month.LENGTH.multipliedBy(2)))
        .thenCompose(
            accepted ->
                state.keptCalls().ended(id, FAILED, answer, at.plus(Duration.ofMinutes(1))));
  }

  private FailureCases.Case failureCase(int number) {
    var at = at(number, CASES);
    return new FailureCases.Case(
        "case_%06d".formatted(number),
        new FailureCases.Failure(
            "openai.invalid_api_key",
            FAILED,
            "openai/gpt-4o",
            "Incorrect API key provided, variant %d".formatted(number),
            "no other key is left"),
        new FailureCases.Occurrences(1 + number % 70, start, at, Month.id(number)),
        number % 3 == 0 ? at : null);
  }

  private Evaluations.Evaluation evaluation(int number) {
    boolean ofRun = number % 2 == 0;
    return new Evaluations.Evaluation(
        0,
        at(number, EVALUATIONS),
        ofRun ? AgentRuns.id(number % AgentRuns.COUNT) : null,
        ofRun ? null : Month.id(number),
        Map.of("correct", number % 5 == 0 ? 0.0 : 1.0, "polite", number % 10 / 10.0),
        number % 4 == 0 ? "as a person would answer" : null,
        "ada");
  }

  private AuditLog.Entry audited(int number) {
    return new AuditLog.Entry(
        0, at(number, AUDITED), "ada", "admin", "POST /api/breakers/x/reset", "127.0.0.1");
  }
}
