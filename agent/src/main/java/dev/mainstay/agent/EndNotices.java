package dev.mainstay.agent;

import dev.mainstay.agent.journal.RunState;
import dev.mainstay.http.HttpPost;
import dev.mainstay.http.SignedPost;
import dev.mainstay.ledger.OutageLog;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts the ends of runs to where they asked for it ({@code notify}), each until it has arrived, at
 * least once, under one delivery id. What a process did not deliver another one does. A virtual
 * thread of its own.
 */
public final class EndNotices implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EndNotices.class);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int AT_ONCE = 20;

  private final RunStore store;
  private final Timing timing;
  private final SignedPost post;
  private final Supplier<@Nullable String> secret;
  private final Thread thread;

  private final OutageLog posting =
      new OutageLog(
          LOG,
          "Mainstay cannot post the ends of runs and tries each second",
          "Mainstay posts the ends of runs again");

  EndNotices(RunStore store, Timing timing, Supplier<@Nullable String> secret) {
    this.store = store;
    this.timing = timing;
    this.secret = secret;
    post = new SignedPost(new HttpPost(), timing.clock());
    thread = Thread.ofVirtual().name("mainstay-notices").unstarted(this::deliver);
  }

  /**
   * Delivers until closed.
   *
   * @param secret what signs the posts, or null; asked for each
   */
  public static EndNotices start(RunStore store, Timing timing, Supplier<@Nullable String> secret) {
    var notices = new EndNotices(store, timing, secret);
    notices.thread.start();
    return notices;
  }

  private void deliver() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          due();
          posting.healed();
        } catch (RunJournal.LostException e) {
          // The store has said so itself.
          LOG.debug("Mainstay posted no end of a run: {}", e.getMessage());
        } catch (RuntimeException e) {
          posting.failed(e);
        }
        timing.sleep(LOOK);
      }
    } catch (InterruptedException e) {
      LOG.debug("Mainstay closes and posts no more ends of runs");
    }
  }

  /** Posts what is due, and what becomes due meanwhile: a receiver that hangs keeps one place. */
  void due() throws InterruptedException {
    var places = new Semaphore(AT_ONCE);
    timing.all(() -> due(places), AT_ONCE);
  }

  private List<Callable<Boolean>> due(Semaphore places) throws InterruptedException {
    int free = places.drainPermits();
    if (free == 0) {
      return List.of();
    }
    var due = RunJournal.result(store.notices(free, timing.clock().instant()));
    places.release(free - due.size());
    var posts = new ArrayList<Callable<Boolean>>();
    for (var notice : due) {
      posts.add(
          () -> {
            try {
              return delivered(notice);
            } finally {
              places.release();
            }
          });
    }
    return posts;
  }

  private boolean delivered(RunStore.Notice notice) throws InterruptedException {
    var trouble = send(notice);
    if (trouble == null) {
      return RunJournal.result(store.noticed(notice.run()));
    }
    LOG.warn(
        "Mainstay could not deliver the end of {}, attempt {} of {}: {}",
        notice.run(),
        notice.tries(),
        RunStore.MOST_NOTICES,
        trouble);
    return false;
  }

  private @Nullable String send(RunStore.Notice notice) throws InterruptedException {
    var state = RunJournal.state(store, notice.run());
    try {
      var url = URI.create(notice.url());
      return post.send(url, secret.get(), "end_" + notice.run(), body(notice.run(), state));
    } catch (IllegalArgumentException e) {
      return "its URL is no HTTP URL";
    }
  }

  static String body(String run, RunState state) {
    var json = Tree.object();
    var request = state.accepted().request();
    var end = state.ended();
    json.put("id", "end_" + run);
    json.put("run", run);
    json.put("agent", request.agent());
    json.put("session", request.session());
    var labels = json.putObject("labels");
    request.labels().forEach(labels::put);
    json.put("status", end == null ? null : end.status());
    json.put("reason", end == null ? null : end.reason() + ": " + end.words());
    json.set("output", end == null ? null : end.output());
    json.put("turns", state.turns());
    json.put("steps", state.lastStep());
    json.put("attempts", state.usage().modelAttempts());
    json.put("tokens", state.usage().tokens());
    json.put(
        "cost_usd",
        state.usage().costUnknown()
            ? null
            : BigDecimal.valueOf(state.usage().costNanos(), 9).stripTrailingZeros());
    return Tree.write(json);
  }

  @Override
  public void close() {
    thread.interrupt();
    post.http().close();
  }
}
