package dev.mainstay.agent.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.run.RunStore.StoredEntry;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RunReaderTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  /** What was asked of the store. */
  private final List<String> asked = new ArrayList<>();

  private final List<StoredEntry> journal = new ArrayList<>();
  private @Nullable Object summarized;

  private final RunReader reader =
      new RunReader(
          (RunStore)
              Proxy.newProxyInstance(
                  RunStore.class.getClassLoader(),
                  new Class<?>[] {RunStore.class},
                  (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    if (method.getName().equals("summarize")) {
                      summarized = arguments[2];
                      return CompletableFuture.completedStage(true);
                    }
                    return CompletableFuture.completedStage(List.copyOf(journal));
                  }));

  private static List<JournalEntry> entries() {
    var agent =
        AgentDefinition.of(
            "helper", "assistant", "Help.", AgentDefinition.Limits.DEFAULTS, List.of());
    var request =
        new JournalEntry.RunRequest(
            "helper", "Hi", List.of(), "", null, 0, Map.of("team", "a \ud83d b"), null);
    return List.of(
        new JournalEntry.Accepted(agent, "hash", request, List.of(), 1),
        new JournalEntry.TurnStarted(1, 1, 1, "hash", null, 2),
        new JournalEntry.StepPlanned(2, 1, "tool_1", "lookup", "{}", "key"),
        new JournalEntry.InDoubt(2, "the answer was lost", 3));
  }

  private Run run(@Nullable String summary) {
    return new Run(
        new RunStore.Origin("run_1", "helper", "", null, null, 0),
        RunStore.Status.PARKED,
        NOON,
        null,
        4,
        null,
        null,
        summary);
  }

  @Test
  void aListReadsNoJournalWhereTheStoreKeepsTheSummary() {
    var shown = reader.summary(run(RunSummary.first(entries()).summary()));
    assertThat(asked).isEmpty();
    assertThat(shown.path("status").asString()).isEqualTo("in_doubt");
    assertThat(shown.path("steps").asInt()).isEqualTo(2);
    assertThat(shown.path("labels").path("team").asString()).isEqualTo("a ? b");
    assertThat(shown.path("definition_hash").asString()).isEqualTo("hash");
  }

  @Test
  void theJournalOfAnOlderMainstayIsReadOnceAndItsSummaryKept() {
    var stored = RunSummary.first(entries());
    stored.list().forEach(each -> journal.add(new StoredEntry(journal.size() + 1L, NOON, each)));
    var older = reader.summary(run(null));
    assertThat(asked).containsExactly("read", "summarize");
    assertThat(summarized).isEqualTo(stored.summary());
    assertThat(older).isEqualTo(reader.summary(run(stored.summary())));
    // An older Mainstay has gone on with the run: its entries are not in the summary.
    asked.clear();
    reader.summary(run(RunSummary.first(entries().subList(0, 2)).summary()));
    assertThat(asked).containsExactly("read", "summarize");
  }
}
