package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.tool.MethodTools;
import dev.mainstay.agent.tool.ToolCallers;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.run.RunStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that leases runs and cannot read them: a runtime waits between its tries. */
@Timeout(180)
class FailingStoreTest {
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final Semaphore awake = new Semaphore(0);
  private final Semaphore givenBack = new Semaphore(0);

  @Test
  void aRunThatCannotBeReadIsTriedOnceASecond() throws Exception {
    var runtime =
        new AgentRuntime(
            new RunContext(
                store(new MemoryRunStore().of(1)),
                (request, events) -> {
                  throw new IllegalStateException("nothing gets that far");
                },
                new ToolCallers(MethodTools.NONE, MethodTools.NONE, MethodTools.NONE),
                new Waiting(),
                RunAlerts.NONE),
            () -> Map.of("helper", RunScene.agent()),
            () -> "run_1",
            new AgentRuntime.Capacity(4, 100));
    var request =
        new JournalEntry.RunRequest("helper", "Go.", List.of(), "", null, 0, Map.of(), null);
    runtime.submit(request, null, "h").toCompletableFuture().join();
    for (int tries = 1; tries <= 5; tries++) {
      assertThat(events.take()).isEqualTo("read");
      assertThat(events.take()).as("what follows before the worker has returned").isEqualTo("wait");
      givenBack.release();
      awake.release();
    }
    runtime.stop();
    givenBack.release(1000);
    awake.release(1000);
    runtime.close(Duration.ofSeconds(5));
  }

  /** All but the clock waits for the test. */
  private final class Waiting implements Timing {
    @Override
    public InstantSource clock() {
      return () -> Instant.EPOCH;
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      assertThat(duration).isEqualTo(Duration.ofSeconds(1));
      events.add("wait");
      awake.acquire();
    }

    @Override
    public void all(Work work, int parallel) {
      throw new IllegalStateException("nothing gets that far");
    }
  }

  private RunStore store(RunStore real) {
    return (RunStore)
        Proxy.newProxyInstance(
            RunStore.class.getClassLoader(),
            new Class<?>[] {RunStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("read")) {
                events.add("read");
                return CompletableFuture.failedStage(new LedgerException("the disk is gone"));
              }
              Object done;
              synchronized (real) {
                done = method.invoke(real, arguments);
              }
              if (method.getName().equals("giveBack")) {
                givenBack.acquire(); // anybody may lease the run by now
              }
              return done;
            });
  }
}
