package dev.mainstay.agent.api;

import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.wire.json.Tree;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code GET /api/runs}: runs of Mainstay's agents and of clients' agents in one list, the newest
 * first. Blocks on the stores. Thread-safe.
 */
final class RunList {
  /** Runs that one request looks at; a page may be short, its cursor goes on. */
  private static final int MOST_SEEN = 5000;

  /** Runs that the query does not mean and that it looks at however long that takes. */
  private static final int LEAST_PASSED = 200;

  /** How long it looks at more of them. */
  private static final long SCAN_NANOS = 50_000_000;

  private final RunStore store;
  private final RunReader own;
  private final ClientRuns clients;
  private final ClientRunReports reports;
  private final BiPredicate<Run, Caller> sees;

  RunList(
      RunStore store,
      RunReader own,
      ClientRuns clients,
      ClientRunReports reports,
      BiPredicate<Run, Caller> sees) {
    this.store = store;
    this.own = own;
    this.clients = clients;
    this.reports = reports;
    this.sees = sees;
  }

  Reply list(String query, Caller caller) {
    var asked = RunQuery.of(query, caller);
    var rows = new RunRows(store, clients, reports, asked);
    var json = Tree.object();
    var list = json.putArray("runs");
    int seen = 0;
    long begun = System.nanoTime();
    var last = rows.next();
    RunRows.Row shown = null;
    while (last != null && list.size() < asked.limit() && goesOn(seen, seen - list.size(), begun)) {
      var summary = last.fits() ? summary(last, caller) : null;
      if (summary != null && asked.traits().includes(summary)) {
        list.add(caller.role().includes(Role.OPERATOR) ? summary : withoutWords(summary));
      }
      seen++;
      shown = last;
      last = rows.next();
    }
    json.put("next", last == null || shown == null ? null : asked.cursor(shown.place()));
    return new Reply(200, json);
  }

  /** What few runs are is looked for in some of them at least, and then for a while. */
  private static boolean goesOn(int seen, int passed, long begun) {
    boolean slow = passed >= LEAST_PASSED && System.nanoTime() - begun >= SCAN_NANOS;
    return seen < MOST_SEEN && !slow;
  }

  /** The reason may quote a provider, and a provider its prompt: a viewer sees its name alone. */
  static ObjectNode withoutWords(ObjectNode summary) {
    var reason = summary.path("reason").stringValue(null);
    return reason == null ? summary : summary.deepCopy().put("reason", reason.split(": ", 2)[0]);
  }

  private @Nullable ObjectNode summary(RunRows.Row row, Caller caller) {
    var run = row.own();
    if (run != null) {
      return sees.test(run, caller) ? own.summary(run) : null;
    }
    var of = row.client();
    return of == null ? null : clients.summary(of, row.end());
  }
}
