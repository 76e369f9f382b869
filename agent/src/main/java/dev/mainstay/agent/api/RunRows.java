package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Runs of Mainstay's agents and of clients' agents that a query may mean, merged by time, the
 * newest first. Blocks on the stores. Of one thread.
 */
final class RunRows {
  private static final int AT_ONCE = 100;

  /**
   * A run of either kind at its place in the list.
   *
   * @param fits whether it has a call such as the query asks for
   */
  record Row(
      Place place,
      @Nullable Run own,
      @Nullable CallRun client,
      @Nullable JsonNode end,
      boolean fits) {}

  private final RunStore store;
  private final ClientRuns clients;
  private final ClientRunReports reports;
  private final RunQuery asked;
  private final ArrayDeque<Row> runs = new ArrayDeque<>();
  private final ArrayDeque<Row> calls = new ArrayDeque<>();
  private @Nullable Place runsAfter;
  private @Nullable Place callsAfter;
  private boolean moreRuns;
  private boolean moreCalls;

  RunRows(RunStore store, ClientRuns clients, ClientRunReports reports, RunQuery asked) {
    this.store = store;
    this.clients = clients;
    this.reports = reports;
    this.asked = asked;
    runsAfter = asked.after();
    callsAfter = asked.after();
    moreRuns = !"client".equals(asked.kind());
    var filter = asked.filter();
    moreCalls =
        !"agent".equals(asked.kind())
            && filter.agent() == null
            && filter.session() == null
            && asked.traits().label() == null
            && ClientRuns.canBe(asked.traits().status());
  }

  @Nullable Row next() {
    if (runs.isEmpty() && moreRuns) {
      readRuns();
    }
    if (calls.isEmpty() && moreCalls) {
      readCalls();
    }
    var a = runs.peek();
    var b = calls.peek();
    if (a == null || b == null) {
      return a == null ? calls.poll() : runs.poll();
    }
    int order = a.place().at().compareTo(b.place().at());
    return order > 0 || (order == 0 && a.place().run().compareTo(b.place().run()) >= 0)
        ? runs.poll()
        : calls.poll();
  }

  private void readRuns() {
    var page =
        join(
            store.list(
                new RunStore.Query(AT_ONCE, runsAfter, asked.filter(), asked.from(), asked.to())));
    var fit = fitting(null, page.stream().map(Run::id).toList());
    page.forEach(
        run ->
            runs.add(
                new Row(
                    new Place(run.acceptedAt(), run.id()),
                    run,
                    null,
                    null,
                    fit.contains(run.id()))));
    moreRuns = page.size() == AT_ONCE;
    runsAfter = page.isEmpty() ? runsAfter : runs.getLast().place();
  }

  private void readCalls() {
    var filter = asked.filter();
    var page =
        clients.list(
            new CallRun.Query(
                AT_ONCE,
                callsAfter,
                filter.run(),
                filter.client(),
                filter.parent(),
                asked.from(),
                asked.to()));
    var ids = page.stream().map(CallRun::id).toList();
    // What a tool of a run calls under the run's own id belongs to that run.
    var own =
        join(
                store.find(
                    ids.stream()
                        .map(CallRun.Id::run)
                        .filter(run -> run.startsWith("run_"))
                        .toList()))
            .stream()
            .map(Run::id)
            .collect(toSet());
    var ends = reports.ends(ids);
    var fit = new HashSet<CallRun.Id>();
    ids.stream()
        .collect(groupingBy(CallRun.Id::client, mapping(CallRun.Id::run, toList())))
        .forEach(
            (client, named) ->
                fitting(client, named).forEach(run -> fit.add(new CallRun.Id(client, run))));
    page.forEach(
        run ->
            calls.add(
                new Row(
                    new Place(run.firstAt(), run.id().run()),
                    null,
                    run,
                    ends.get(run.id()),
                    fit.contains(run.id()) && !own.contains(run.id().run()))));
    moreCalls = page.size() == AT_ONCE;
    callsAfter = page.isEmpty() ? callsAfter : calls.getLast().place();
  }

  private Collection<String> fitting(@Nullable String client, List<String> page) {
    return asked.call().isEmpty() ? page : clients.runsWith(client, page, asked.call());
  }
}
