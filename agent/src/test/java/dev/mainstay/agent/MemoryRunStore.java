package dev.mainstay.agent;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Accepted;
import dev.mainstay.ledger.run.RunStore.Appended;
import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.NewRun;
import dev.mainstay.ledger.run.RunStore.Notice;
import dev.mainstay.ledger.run.RunStore.Posted;
import dev.mainstay.ledger.run.RunStore.Query;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.run.RunStore.Status;
import dev.mainstay.ledger.run.RunStore.StoredEntry;
import dev.mainstay.ledger.state.AlertLog;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs in memory, for any number of instances. Each operation is done when it returns, on the
 * caller's thread: so whole histories of instances that die and come back are played in one thread.
 */
final class MemoryRunStore {
  private static final Map<Method, Optional<Method>> OWN = new ConcurrentHashMap<>();

  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final List<Consumer<String>> listeners = new ArrayList<>();
  private final boolean fenced;
  private long messages;

  MemoryRunStore() {
    this(true);
  }

  /**
   * @param fenced false for a store that takes what it is given from whoever gives it
   */
  MemoryRunStore(boolean fenced) {
    this.fenced = fenced;
  }

  private static final class Row {
    final NewRun run;
    final Instant acceptedAt;
    final Instant keyUntil;
    final List<StoredEntry> journal = new ArrayList<>();
    final List<Message> messages = new ArrayList<>();
    Status status = Status.QUEUED;
    long token;
    long holder;
    @Nullable Instant wakeAt;
    @Nullable Instant endedAt;
    @Nullable String outcome;
    @Nullable String summary;
    @Nullable String notify;
    @Nullable Instant noticeAt;
    int notices;

    Row(NewRun run, Instant acceptedAt, Instant keyUntil) {
      this.run = run;
      this.acceptedAt = acceptedAt;
      this.keyUntil = keyUntil;
    }

    void add(Entries entries, Instant now) {
      summary = entries.summary() == null ? summary : entries.summary();
      entries.list().forEach(each -> journal.add(new StoredEntry(journal.size() + 1L, now, each)));
    }

    Run shown() {
      return new Run(
          run.origin(), status, acceptedAt, endedAt, journal.size(), wakeAt, outcome, summary);
    }
  }

  private static Optional<Method> own(Method asked) {
    return Arrays.stream(Seen.class.getMethods())
        .filter(own -> own.getName().equals(asked.getName()))
        .filter(own -> Arrays.equals(own.getParameterTypes(), asked.getParameterTypes()))
        .findFirst();
  }

  /** The store as {@code instance} sees it, which is not 0. */
  RunStore of(long instance) {
    var seen = new Seen(instance);
    return (RunStore)
        Proxy.newProxyInstance(
            RunStore.class.getClassLoader(),
            new Class<?>[] {RunStore.class},
            (proxy, method, arguments) -> {
              var own = OWN.computeIfAbsent(method, MemoryRunStore::own);
              return own.isPresent() ? own.get().invoke(seen, arguments) : done(List.of());
            });
  }

  /** Another instance takes over what {@code instance} had leased. */
  void takeOver(long instance) {
    for (var row : rows.values()) {
      if (row.holder == instance && row.status == Status.RUNNING) {
        row.status = Status.QUEUED;
        row.holder = 0;
      }
    }
  }

  private static <T> CompletionStage<T> done(T result) {
    return CompletableFuture.completedStage(result);
  }

  /**
   * Its methods are those of {@link RunStore}, found by name: what is not here has nothing to do.
   */
  public final class Seen {
    private final long instance;

    Seen(long instance) {
      this.instance = instance;
    }

    private void news(String run) {
      listeners.forEach(each -> each.accept(run));
    }

    public CompletionStage<Accepted> accept(
        NewRun run, int mostQueued, Instant now, Instant until) {
      var key = run.key();
      if (key != null) {
        for (var row : rows.values()) {
          if (key.equals(row.run.key())
              && row.run.origin().client().equals(run.origin().client())
              && row.keyUntil.isAfter(now)) {
            return done(
                row.run.bodyHash().equals(run.bodyHash())
                    ? new Accepted.Known(row.run.origin().id())
                    : new Accepted.OtherRequest());
          }
        }
      }
      long queued = rows.values().stream().filter(row -> row.status == Status.QUEUED).count();
      if (queued >= mostQueued) {
        return done(new Accepted.Full(queued));
      }
      var row = new Row(run, now, until);
      row.add(run.first(), now);
      rows.put(run.origin().id(), row);
      news(run.origin().id());
      return done(new Accepted.Fresh());
    }

    public CompletionStage<List<Lease>> claim(int limit, Instant now) {
      var leases = new ArrayList<Lease>();
      for (var row : rows.values()) {
        var wakeAt = row.wakeAt;
        if (row.status == Status.PARKED && wakeAt != null && !wakeAt.isAfter(now)) {
          row.status = Status.QUEUED;
          row.wakeAt = null;
        }
      }
      rows.values().stream()
          .filter(row -> row.status == Status.QUEUED && !waitsForSession(row))
          .sorted(Comparator.comparingInt((Row row) -> -row.run.origin().priority()))
          .limit(limit)
          .forEach(
              row -> {
                row.status = Status.RUNNING;
                row.holder = instance;
                row.token++;
                leases.add(new Lease(row.run.origin().id(), row.token, row.journal.size()));
              });
      return done(leases);
    }

    private boolean waitsForSession(Row row) {
      var session = row.run.origin().session();
      for (var before : rows.values()) {
        if (session == null || before == row) {
          return false;
        }
        if (session.equals(before.run.origin().session())
            && before.run.origin().client().equals(row.run.origin().client())
            && before.status != Status.ENDED) {
          return true;
        }
      }
      return false;
    }

    private @Nullable Row held(Lease lease) {
      var row = rows.get(lease.run());
      boolean holds =
          row != null
              && row.status == Status.RUNNING
              && row.holder == instance
              && row.token == lease.token();
      return holds || !fenced ? row : null;
    }

    private Appended write(
        Lease lease, long after, Entries entries, Instant now, Consumer<Row> change) {
      var row = held(lease);
      if (row == null) {
        return new Appended.LeaseLost();
      }
      if (fenced && row.journal.size() != after) {
        return new Appended.OutOfSequence(row.journal.size());
      }
      row.add(entries, now);
      change.accept(row);
      return new Appended.Written(row.journal.size());
    }

    public CompletionStage<Appended> append(Lease lease, long after, Entries entries, Instant now) {
      return done(write(lease, after, entries, now, row -> {}));
    }

    public CompletionStage<Appended> park(
        Lease lease,
        long after,
        Entries entries,
        @Nullable Instant wakeAt,
        long read,
        Instant now) {
      return done(
          write(
              lease,
              after,
              entries,
              now,
              row -> {
                boolean unread = !row.messages.isEmpty() && row.messages.getLast().number() > read;
                row.status = unread ? Status.QUEUED : Status.PARKED;
                row.wakeAt = wakeAt;
                row.holder = 0;
              }));
    }

    public CompletionStage<Boolean> giveBack(Lease lease) {
      var row = held(lease);
      if (row != null) {
        row.status = Status.QUEUED;
        row.holder = 0;
        news(lease.run());
      }
      return done(row != null);
    }

    public CompletionStage<Appended> end(
        Lease lease, long after, Entries entries, String outcome, Instant now) {
      return end(lease, after, entries, outcome, null, now);
    }

    public CompletionStage<Appended> end(
        Lease lease,
        long after,
        Entries entries,
        String outcome,
        @Nullable String notify,
        Instant now) {
      var appended =
          write(
              lease,
              after,
              entries,
              now,
              row -> {
                row.status = Status.ENDED;
                row.outcome = outcome;
                row.endedAt = now;
                row.holder = 0;
                row.notify = notify;
                row.noticeAt = now;
              });
      if (appended instanceof Appended.Written) {
        news(lease.run());
      }
      return done(appended);
    }

    public CompletionStage<List<Notice>> notices(int limit, Instant now) {
      var due = new ArrayList<Notice>();
      for (var row : rows.values()) {
        var url = row.notify;
        var at = row.noticeAt;
        if (url != null && at != null && !at.isAfter(now)) {
          if (row.notices == RunStore.MOST_NOTICES) {
            row.notify = null;
          } else if (due.size() < limit) {
            due.add(new Notice(row.run.origin().id(), url, ++row.notices));
            row.noticeAt = now.plusSeconds(20).plus(AlertLog.pause(row.notices));
          }
        }
      }
      return done(due);
    }

    public CompletionStage<Boolean> noticed(String run) {
      var row = rows.get(run);
      boolean known = row != null && row.notify != null;
      if (row != null) {
        row.notify = null;
      }
      return done(known);
    }

    public CompletionStage<Boolean> holds(Lease lease) {
      return done(held(lease) != null);
    }

    public CompletionStage<List<StoredEntry>> read(String run, long after, int limit) {
      var row = rows.get(run);
      return done(
          row == null
              ? List.of()
              : row.journal.stream().filter(each -> each.sequence() > after).limit(limit).toList());
    }

    public CompletionStage<List<Run>> find(String run) {
      return find(List.of(run));
    }

    public CompletionStage<List<Run>> find(Collection<String> runs) {
      return done(runs.stream().map(rows::get).filter(Objects::nonNull).map(Row::shown).toList());
    }

    public CompletionStage<List<Run>> list(Query query) {
      var filter = query.filter();
      return done(
          rows.values().stream()
              .map(Row::shown)
              .sorted(Comparator.comparing(Run::acceptedAt).thenComparing(Run::id).reversed())
              .filter(run -> matches(filter.run(), run.id()))
              .filter(run -> matches(filter.status(), run.status()))
              .filter(run -> matches(filter.outcome(), run.outcome()))
              .filter(run -> matches(filter.agent(), run.origin().agent()))
              .filter(run -> matches(filter.client(), run.origin().client()))
              .filter(run -> matches(filter.parent(), run.origin().parent()))
              .filter(run -> matches(filter.session(), run.origin().session()))
              .filter(run -> query.from() == null || !run.acceptedAt().isBefore(query.from()))
              .filter(run -> query.to() == null || run.acceptedAt().isBefore(query.to()))
              .filter(run -> isBehind(query, run))
              .limit(query.limit())
              .toList());
    }

    private static boolean isBehind(Query query, Run run) {
      var before = query.before();
      if (before == null) {
        return true;
      }
      int time = run.acceptedAt().compareTo(before.at());
      return time < 0 || (time == 0 && run.id().compareTo(before.run()) < 0);
    }

    private static boolean matches(@Nullable Object wanted, @Nullable Object found) {
      return wanted == null || Objects.equals(wanted, found);
    }

    public CompletionStage<Posted> post(
        String run, String kind, @Nullable String about, byte[] content, String by, Instant now) {
      var row = rows.get(run);
      if (row == null || row.status == Status.ENDED) {
        return done(new Posted.NoRun());
      }
      for (var before : row.messages) {
        if (about != null && about.equals(before.about())) {
          return done(new Posted.DecidedBefore(before));
        }
      }
      var message = new Message(++messages, now, kind, about, content, by);
      row.messages.add(message);
      if (row.status == Status.PARKED) {
        row.status = Status.QUEUED;
        row.wakeAt = null;
      }
      news(run);
      return done(new Posted.Taken(message.number()));
    }

    public CompletionStage<Posted> settle(
        String run, String kind, byte[] content, String by, Instant now) {
      var row = rows.get(run);
      if (row == null || !"dead_letter".equals(row.outcome)) {
        return done(new Posted.NoRun());
      }
      var before = settled(row);
      if (before.isPresent()) {
        return done(new Posted.DecidedBefore(before.get()));
      }
      var message = new Message(++messages, now, kind, RunStore.DEAD_LETTER, content, by);
      row.messages.add(message);
      return done(new Posted.Taken(message.number()));
    }

    private static Optional<Message> settled(Row row) {
      return row.messages.stream()
          .filter(each -> RunStore.DEAD_LETTER.equals(each.about()))
          .findFirst();
    }

    public CompletionStage<Map<String, Message>> settled(Collection<String> runs) {
      var settled = new HashMap<String, Message>();
      for (var run : runs) {
        var row = rows.get(run);
        if (row != null) {
          settled(row).ifPresent(message -> settled.put(run, message));
        }
      }
      return done(settled);
    }

    public CompletionStage<List<Message>> messages(String run, long after, int limit) {
      var row = rows.get(run);
      return done(
          row == null
              ? List.of()
              : row.messages.stream().filter(each -> each.number() > after).limit(limit).toList());
    }

    public CompletionStage<Boolean> summarize(String run, long entries, String summary) {
      var row = rows.get(run);
      boolean same = row != null && row.journal.size() == entries;
      if (row != null && same) {
        row.summary = summary;
      }
      return done(same);
    }

    public CompletionStage<Boolean> replace(String run, List<StoredEntry> entries) {
      var row = rows.get(run);
      if (row == null || row.status != Status.ENDED) {
        return done(false);
      }
      entries.forEach(each -> row.journal.set((int) each.sequence() - 1, each));
      return done(true);
    }

    public CompletionStage<Boolean> purged(String run, long after, Entries last, Instant now) {
      var row = rows.get(run);
      if (row == null || row.status != Status.ENDED || row.journal.size() != after) {
        return done(false);
      }
      row.add(last, now);
      row.messages.replaceAll(
          each ->
              new Message(
                  each.number(),
                  each.at(),
                  each.kind(),
                  each.about(),
                  "{}".getBytes(StandardCharsets.UTF_8),
                  each.by()));
      return done(true);
    }

    public void onNews(Consumer<String> listener) {
      listeners.add(listener);
    }
  }
}
