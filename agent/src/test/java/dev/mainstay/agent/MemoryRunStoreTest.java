package dev.mainstay.agent;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sql.Database;
import dev.mainstay.ledger.sql.RunsContract;
import dev.mainstay.ledger.sql.TestStore;
import dev.mainstay.ledger.state.DurableState;
import java.lang.reflect.Proxy;
import java.time.Instant;

/**
 * What {@link RunSimulationTest} shows holds for the stores that users have: all keep one contract.
 */
class MemoryRunStoreTest extends RunsContract {
  @Override
  protected TestStore store() {
    return new InMemory(new MemoryRunStore());
  }

  private record InMemory(MemoryRunStore memory, Instances instances) implements TestStore {
    InMemory(MemoryRunStore memory) {
      this(memory, new Instances());
    }

    @Override
    public Opened open(Instant now, long maxBytes) {
      long instance = ++instances.count;
      var runs = memory.of(instance);
      return new Opened(state(runs), () -> memory.takeOver(instance));
    }

    @Override
    public Database database() {
      throw new AssertionError("there is none");
    }

    @Override
    public long number(String sql) {
      throw new AssertionError("nothing to ask: " + sql);
    }

    @Override
    public void close() {}
  }

  private static final class Instances {
    long count;
  }

  /** A state that holds runs and nothing else. */
  private static DurableState state(RunStore runs) {
    return (DurableState)
        Proxy.newProxyInstance(
            DurableState.class.getClassLoader(),
            new Class<?>[] {DurableState.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("runs")) {
                return runs;
              }
              throw new AssertionError(method + " is not asked of runs");
            });
  }
}
