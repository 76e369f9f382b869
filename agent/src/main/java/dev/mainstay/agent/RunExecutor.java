package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries leased runs on, each on the calling thread, until they end, wait, or are given back.
 * Thread-safe.
 */
final class RunExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(RunExecutor.class);

  /** How long a run rests whose journal this version cannot read: another one may. */
  private static final Duration UNREADABLE = Duration.ofSeconds(30);

  private final RunContext context;
  private final BooleanSupplier closing;
  private final Runnable troubled;
  private final Set<RunningRun> under = ConcurrentHashMap.newKeySet();

  /** No worker has these runs, and the store says that this process does. */
  private final Set<Lease> notGivenBack = ConcurrentHashMap.newKeySet();

  /** A run under way. */
  private static final class RunningRun {
    final Thread thread;
    final RunJournal journal;
    final AtomicBoolean silent = new AtomicBoolean();

    RunningRun(Thread thread, RunJournal journal) {
      this.thread = thread;
      this.journal = journal;
    }
  }

  /**
   * @param closing whether runs are to be given back after the step under way
   * @param troubled called when a run cannot be carried on, before its lease is given back: the
   *     same may befall whoever leases it next
   */
  RunExecutor(RunContext context, BooleanSupplier closing, Runnable troubled) {
    this.context = context;
    this.closing = closing;
    this.troubled = troubled;
  }

  /** Carries the run on; returns when this worker has no more to do with it. */
  void carry(Lease lease) {
    try {
      var journal = RunJournal.open(lease, context);
      var carried = new RunningRun(Thread.currentThread(), journal);
      under.add(carried);
      try {
        carry(carried, lease);
      } finally {
        under.remove(carried);
      }
    } catch (InterruptedException e) {
      giveBack(lease);
    } catch (RunJournal.LostException e) {
      LOG.warn("{} is left to another worker: {}", lease.run(), e.getMessage());
      troubled.run();
      giveBack(lease);
    } catch (RunJournal.UnreadableException e) {
      LOG.error("{} rests: {}", lease.run(), e.getMessage());
      troubled.run();
      rest(lease);
    } catch (RuntimeException e) {
      // The next worker begins again; after 20 of them the run is given up on as crashed.
      LOG.error("Mainstay could not continue {}", lease.run(), e);
      troubled.run();
      giveBack(lease);
    }
  }

  private void carry(RunningRun carried, Lease lease) throws InterruptedException {
    var journal = carried.journal;
    while (!carried(journal)) {
      if (closing.getAsBoolean()) {
        giveBack(lease);
        return;
      }
      if (carried.silent.getAndSet(false)) {
        journal.append(new JournalEntry.Woken(journal.now()));
      }
      // Or a message has come: the worker begins again from the journal, and reads it first.
    }
  }

  /** Queues the run again, for this process or another; the store may not take that at once. */
  void giveBack(Lease lease) {
    context
        .store()
        .giveBack(lease)
        .whenComplete(
            (given, failure) -> {
              if (failure != null) {
                notGivenBack.add(lease);
              }
            });
  }

  /**
   * Interrupts runs that show no life, and model calls that outlast their run's deadline: their
   * workers begin again from the journal. Gives back what the store did not take. To be called once
   * a second.
   */
  void watch() {
    for (var lease : List.copyOf(notGivenBack)) {
      notGivenBack.remove(lease);
      giveBack(lease);
    }
    long now = context.timing().clock().millis();
    for (var each : under) {
      var activity = each.journal.activity();
      if (activity.isSilent(now)) {
        activity.beat(now);
        each.silent.set(true);
        each.thread.interrupt();
      } else if (activity.outlastsDeadline(now)) {
        each.thread.interrupt();
      }
    }
  }

  private boolean carried(RunJournal journal) {
    try {
      return new RunWorker(journal, context, closing).run();
    } catch (InterruptedException e) {
      return false;
    }
  }

  private void rest(Lease lease) {
    var now = context.timing().clock().instant();
    context
        .store()
        .park(lease, lease.entries(), Entries.of(), now.plus(UNREADABLE), Long.MAX_VALUE, now);
  }
}
