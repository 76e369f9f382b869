package dev.mainstay.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.gateway.admin.EvaluationsApi.EvaluationPage;
import dev.mainstay.gateway.admin.EvaluationsApi.KeptEvaluation;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Entry;
import dev.mainstay.ledger.run.RunStore.NewRun;
import dev.mainstay.ledger.run.RunStore.Origin;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.ledger.state.DurableState;
import dev.mainstay.ledger.state.Evaluations;
import dev.mainstay.ledger.state.Evaluations.Evaluation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

/** {@code GET /api/evaluations} over runs and calls, and what it asks of the store. */
@SuppressWarnings("NullAway.Init")
class EvaluationsApiTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir Path directory;
  private Ledger ledger;
  private LedgerReader reader;
  private final List<String> asked = new ArrayList<>();

  @BeforeEach
  void open() {
    ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.fixed(NOON));
    reader = ledger.reader();
  }

  @AfterEach
  void close() {
    reader.close();
    ledger.close();
  }

  @Test
  void aPageNamesTheAgentsAndModelsOfItsEvaluationsInFourQuestions() throws Exception {
    for (int i = 0; i < 50; i++) {
      var origin = new Origin("run_" + i, "agent-" + i, "", null, null, 0);
      Cursors.wait(
          ledger
              .state()
              .runs()
              .accept(
                  new NewRun(origin, null, "h", Entries.of(new Entry("run_accepted", new byte[1]))),
                  1_000,
                  NOON,
                  NOON.plusSeconds(60)));
      record("call_first" + i, "run_" + i, "older");
      record("call_last" + i, "run_" + i, "newer-" + i);
      record("call_" + i, null, "alone-" + i);
      evaluate("run_" + i, null);
      evaluate(null, "call_" + i);
    }
    assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();

    var page = page("100");
    assertThat(page).hasSize(100);
    for (int i = 0; i < 50; i++) {
      assertSubject(page.get(99 - 2 * i), "agent-" + i, "newer-" + i);
      assertSubject(page.get(98 - 2 * i), null, "alone-" + i);
    }
    assertThat(asked).as("questions for 100 evaluations").hasSize(4);
    asked.clear();
    assertThat(page("2")).hasSize(2);
    assertThat(asked).as("questions for 2 evaluations").hasSize(4);
  }

  @Test
  void whatIsGoneHasNeitherAgentNorModel() {
    evaluate("run_gone", null);
    evaluate(null, "call_gone");
    var page = page("10");
    assertThat(page).hasSize(2);
    page.forEach(each -> assertSubject(each, null, null));
  }

  @Test
  void aMetricWithoutANameIsRefused() {
    var api =
        new EvaluationsApi(ledger.state(), reader, ledger.recorder(), InstantSource.fixed(NOON));
    var add = (Route.Handler.Blocking) api.routes().getLast().handler();
    var body = JsonNodeFactory.instance.objectNode().put("run", "run_1");
    body.putObject("metrics").put(" ", 1);
    assertThatThrownBy(
            () -> add.answer(new Route.ApiRequest(Caller.OPERATOR, Map.of(), Map.of(), "", body)))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("a metric's name has 1 to 100 characters");
  }

  private static void assertSubject(
      KeptEvaluation found, @Nullable String agent, @Nullable String model) {
    assertThat(found.agent()).isEqualTo(agent);
    assertThat(found.model()).isEqualTo(model);
  }

  private void record(String id, @Nullable String run, String model) {
    var start =
        new CallStart(
            id,
            run,
            null,
            null,
            NOON,
            "openai",
            "/v1/chat/completions",
            model,
            /* stream= */ false);
    ledger
        .recorder()
        .record(
            new CallRecord(
                start,
                new CallRecord.Outcome(
                    "one/first", 200, null, List.of(), 1, null, Duration.ofMillis(3)),
                new CallRecord.Cost(null, null, null)),
            List.of(),
            List.of());
  }

  private void evaluate(@Nullable String run, @Nullable String call) {
    var good = new Evaluation(0, NOON, run, call, Map.of("correct", 1.0), null, "ann");
    Cursors.wait(ledger.state().evaluations().add(good));
  }

  private List<KeptEvaluation> page(String limit) {
    var state = ledger.state();
    var counted =
        counting(
            DurableState.class,
            state,
            Map.of(
                "runs", counting(RunStore.class, state.runs(), Map.of()),
                "evaluations", counting(Evaluations.class, state.evaluations(), Map.of())));
    var api =
        new EvaluationsApi(
            counted,
            counting(LedgerReader.class, reader, Map.of()),
            ledger.recorder(),
            InstantSource.fixed(NOON));
    var list = (Route.Handler.Blocking) api.routes().getFirst().handler();
    try {
      var reply =
          list.answer(
              new Route.ApiRequest(
                  Caller.OPERATOR,
                  Map.of(),
                  Map.of("limit", limit),
                  "",
                  JsonNodeFactory.instance.objectNode()));
      return ((EvaluationPage) reply.body()).evaluations();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** {@code of}, which notes what it is asked; some methods give a part of it instead. */
  private <T> T counting(Class<T> type, T of, Map<String, Object> parts) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              var part = parts.get(method.getName());
              if (part != null) {
                return part;
              }
              asked.add(method.getName());
              try {
                return method.invoke(of, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
