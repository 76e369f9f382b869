package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.ledger.OutageLog;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Lease;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts runs and carries them out: leases queued runs from the store, at most {@code workers} at
 * once, one virtual thread each. Any number of processes may do so over one store. Thread-safe.
 */
public final class AgentRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentRuntime.class);

  /** News of runs may be missing: the store is asked so often in any case. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** What an interrupted thread may take to end. */
  private static final Duration UNTIL_INTERRUPTED = Duration.ofSeconds(5);

  /** Runs of sub-agents that a cancel reaches without their parent; the newest. */
  private static final int MOST_CHILDREN = 1000;

  private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.UTF_8);

  private final RunContext context;
  private final RunStore store;
  private final RunExecutor carrier;
  private final RunSubmitter submitter;
  private final Semaphore places;
  private final Semaphore news = new Semaphore(0);
  private final ConcurrentHashMap<String, Thread> running = new ConcurrentHashMap<>();
  private final Thread looker;
  private final JournalPurge purge;

  /** A run that was leased could not be carried on: the next lease waits, or this would spin. */
  private final AtomicBoolean troubled = new AtomicBoolean();

  private volatile boolean closing;

  private final OutageLog leasing =
      new OutageLog(
          LOG, "Mainstay cannot lease runs and tries each second", "Mainstay leases runs again");

  /**
   * How much a runtime takes on.
   *
   * @param workers runs carried out at once; default 16
   * @param mostQueued runs that may wait; default 10,000
   */
  public record Capacity(int workers, int mostQueued) {}

  /**
   * Starts the workers.
   *
   * @param agents the agents of the configuration, by name; asked when a run is accepted
   */
  public AgentRuntime(
      RunContext context,
      Supplier<Map<String, AgentDefinition>> agents,
      Supplier<String> newId,
      Capacity capacity) {
    this(context, agents, newId, capacity, () -> true);
  }

  /**
   * Starts the workers.
   *
   * @param keepsBodies whether journals of ended runs keep what was said in them; asked at each end
   */
  public AgentRuntime(
      RunContext context,
      Supplier<Map<String, AgentDefinition>> agents,
      Supplier<String> newId,
      Capacity capacity,
      BooleanSupplier keepsBodies) {
    this.context = context;
    purge = new JournalPurge(context.store(), keepsBodies, context.timing().clock());
    this.store = context.store();
    carrier = new RunExecutor(context, () -> closing, () -> troubled.set(true));
    submitter = new RunSubmitter(context, agents, newId, capacity.mostQueued());
    places = new Semaphore(capacity.workers());
    store.onNews(run -> heard(run));
    looker = Thread.ofVirtual().name("mainstay-runs").start(this::look);
  }

  /** Accepts a run: {@link RunSubmitter#submit(JournalEntry.RunRequest, String, String)}. */
  public CompletionStage<Submitted> submit(
      JournalEntry.RunRequest request, @Nullable String key, String bodyHash) {
    return submitter.submit(request, key, bodyHash);
  }

  /** An id for a run to be. */
  public String newId() {
    return submitter.newId();
  }

  /** Accepts a run that goes on from a journal: a replay. */
  public CompletionStage<Submitted> submit(
      RunSubmitter.NewJournal begin, @Nullable String key, String bodyHash) {
    return submitter.submit(submitter.newId(), begin, key, bodyHash);
  }

  /** As {@link #submit(RunSubmitter.NewJournal, String, String)}, with an id of {@link #newId}. */
  public CompletionStage<Submitted> submit(
      String id, RunSubmitter.NewJournal begin, @Nullable String key, String bodyHash) {
    return submitter.submit(id, begin, key, bodyHash);
  }

  /**
   * Cancels a run and, at once, the runs of its sub-agents: the run itself may wait for a worker
   * that they hold.
   *
   * @param content what the person said, as JSON
   * @param by who cancels
   */
  public CompletionStage<RunStore.Posted> cancel(String run, byte[] content, String by) {
    return store
        .post(run, "cancel", "cancel", content, by, context.timing().clock().instant())
        .thenCompose(posted -> cancelChildren(run, by).thenApply(done -> posted));
  }

  private CompletionStage<Void> cancelChildren(String run, String by) {
    return store
        .list(RunStore.Query.newest(MOST_CHILDREN, RunStore.Filter.startedBy(run)))
        .thenCompose(
            children ->
                CompletableFuture.allOf(
                    children.stream()
                        .filter(child -> child.status() != RunStore.Status.ENDED)
                        .map(child -> cancel(child.id(), NOTHING, by).toCompletableFuture())
                        .toArray(CompletableFuture[]::new)));
  }

  // ---- workers

  private void heard(String run) {
    news.release();
    var worker = running.get(run);
    if (worker != null) {
      Thread.startVirtualThread(() -> interruptIfCancelled(run, worker));
    }
  }

  /** A cancel ends what the worker is doing; any other message waits until it has done that. */
  private void interruptIfCancelled(String run, Thread worker) {
    try {
      for (var message : RunJournal.result(store.messages(run, 0, 1000))) {
        if (message.kind().equals("cancel")) {
          worker.interrupt();
        }
      }
    } catch (InterruptedException | RunJournal.LostException e) {
      LOG.debug("Mainstay could not read the messages of {}", run);
    }
  }

  private void look() {
    Thread.startVirtualThread(purge::sweep);
    try {
      while (!closing) {
        carrier.watch();
        if (troubled.getAndSet(false)) {
          context.timing().sleep(LOOK);
        }
        claimIfPossible();
        if (news.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
          news.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("Mainstay leases no more runs: the runtime closes");
    }
  }

  private void claimIfPossible() throws InterruptedException {
    try {
      claim();
      leasing.healed();
    } catch (RunJournal.LostException e) {
      // The store has said so itself.
      LOG.debug("Mainstay leased no run: {}", e.getMessage());
    } catch (RuntimeException e) {
      leasing.failed(e);
    }
  }

  private void claim() throws InterruptedException {
    int free = places.drainPermits();
    int leased = 0;
    try {
      if (free > 0 && !closing) {
        for (var lease : leases(free)) {
          leased++;
          var worker = Thread.ofVirtual().name("run-" + lease.run()).unstarted(() -> carry(lease));
          running.put(lease.run(), worker);
          worker.start();
        }
      }
    } finally {
      places.release(free - leased);
    }
  }

  /** Where a stop interrupts the wait for the store, what the store then leases goes back. */
  private List<Lease> leases(int most) throws InterruptedException {
    var claimed = store.claim(most, context.timing().clock().instant());
    try {
      return RunJournal.result(claimed);
    } catch (InterruptedException e) {
      claimed.thenAccept(leases -> leases.forEach(carrier::giveBack));
      throw e;
    }
  }

  private void carry(Lease lease) {
    try {
      carrier.carry(lease);
    } finally {
      // Another worker may have the run by now, where this one gave it back or parked it.
      running.remove(lease.run(), Thread.currentThread());
      places.release();
      news.release();
    }
    purge.ended(lease.run());
  }

  /** A person has decided about a dead letter, which nothing goes on from any more. */
  public void settled(String run) {
    purge.ended(run);
  }

  /** Takes up no more runs, and begins no more steps. */
  public void stop() {
    closing = true;
    looker.interrupt();
  }

  /**
   * Gives the runs under way back: another process, or this one after its restart, carries them on.
   *
   * @param atMost how long the steps under way may take to end; then they are interrupted, and an
   *     unsafe tool that was at work is in doubt
   */
  public void close(Duration atMost) {
    stop();
    try {
      if (looker.join(UNTIL_INTERRUPTED)) {
        awaitWorkers(atMost);
      }
      running.values().forEach(Thread::interrupt);
      awaitWorkers(UNTIL_INTERRUPTED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitWorkers(Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    for (var worker : running.values()) {
      var left = Duration.ofNanos(Math.max(0, until - System.nanoTime()));
      if (!worker.join(left)) {
        return;
      }
    }
  }

  /** {@link #close(Duration)} without any time to finish. */
  @Override
  public void close() {
    close(Duration.ZERO);
  }
}
