package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.tool.MethodTools;
import dev.mainstay.agent.tool.ToolCallers;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.run.RunStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The store answers, and the next worker has the run, before the last one has wound up. */
@Timeout(180)
class LeasedAgainTest {
  private final RunStore real = new MemoryRunStore().of(1);

  /** What the store does instead; null where it does what it is asked. */
  private interface Instead {
    @Nullable Object of(Method method, @Nullable Object... arguments) throws Exception;
  }

  private Object ask(Method method, @Nullable Object... arguments) throws Exception {
    synchronized (real) {
      return method.invoke(real, arguments);
    }
  }

  private AgentRuntime runtime(ModelCaller models, Instead instead) {
    var store =
        (RunStore)
            Proxy.newProxyInstance(
                RunStore.class.getClassLoader(),
                new Class<?>[] {RunStore.class},
                (proxy, method, arguments) -> {
                  var other = instead.of(method, arguments);
                  return other == null ? ask(method, arguments) : other;
                });
    return new AgentRuntime(
        new RunContext(
            store,
            models,
            new ToolCallers(MethodTools.NONE, MethodTools.NONE, MethodTools.NONE),
            new Timing() {
              @Override
              public InstantSource clock() {
                return () -> Instant.EPOCH;
              }

              @Override
              public void sleep(Duration duration) {}

              @Override
              public void all(Work work, int parallel) {
                throw new IllegalStateException("no tool is called");
              }
            },
            RunAlerts.NONE),
        () -> Map.of("helper", RunScene.agent()),
        () -> "run_1",
        new AgentRuntime.Capacity(2, 100));
  }

  private static void submit(AgentRuntime runtime) {
    var request =
        new JournalEntry.RunRequest("helper", "Go.", List.of(), "", null, 0, Map.of(), null);
    runtime.submit(request, null, "h").toCompletableFuture().join();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aCancelReachesTheSecondWorkerWhereTheFirstEndsLate() throws Exception {
    var reads = new AtomicBoolean();
    var secondAtWork = new CountDownLatch(1);
    var firstGoesOn = new CountDownLatch(1);
    var firstIsGone = new CountDownLatch(1);
    var interrupted = new CountDownLatch(1);
    var runtime =
        runtime(
            (request, events) -> {
              secondAtWork.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
              throw new IllegalStateException("nothing counts down");
            },
            (method, arguments) ->
                switch (method.getName()) {
                  case "read" ->
                      reads.getAndSet(true)
                          ? null
                          : CompletableFuture.failedStage(new LedgerException("the disk is gone"));
                  case "giveBack" -> {
                    var given = ask(method, arguments);
                    firstGoesOn.await();
                    yield given;
                  }
                  case "claim" -> {
                    // Of two places, the store is asked for one as soon as the first is free again.
                    if (firstGoesOn.getCount() == 0) {
                      firstIsGone.countDown();
                    }
                    yield null;
                  }
                  default -> null;
                });
    submit(runtime);
    await(secondAtWork);
    firstGoesOn.countDown();
    await(firstIsGone);
    byte[] nothing = "{}".getBytes(StandardCharsets.UTF_8);
    runtime.cancel("run_1", nothing, "operator").toCompletableFuture().join();
    await(interrupted);
    runtime.close(Duration.ofSeconds(60));
  }

  @Test
  void aRunThatIsLeasedToAStoppedRuntimeGoesBack() throws Exception {
    var asked = new CountDownLatch(1);
    var givenBack = new CountDownLatch(1);
    var answer = new CompletableFuture<Object>();
    var runtime =
        runtime(
            (request, events) -> {
              throw new IllegalStateException("no worker takes the run up");
            },
            (method, arguments) ->
                switch (method.getName()) {
                  case "claim" -> {
                    var claimed =
                        ((CompletionStage<?>) ask(method, arguments)).toCompletableFuture();
                    if (claimed.join() instanceof List<?> leases && leases.isEmpty()) {
                      yield null;
                    }
                    asked.countDown();
                    yield answer.thenCompose(late -> claimed);
                  }
                  case "giveBack" -> {
                    givenBack.countDown();
                    yield null;
                  }
                  default -> null;
                });
    submit(runtime);
    await(asked);
    runtime.close(Duration.ofSeconds(60));
    answer.complete("late");
    await(givenBack);
    assertThat(real.find("run_1").toCompletableFuture().join().getFirst().status())
        .isEqualTo(RunStore.Status.QUEUED);
  }
}
