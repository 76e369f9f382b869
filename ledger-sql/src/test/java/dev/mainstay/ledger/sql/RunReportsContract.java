package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunReports.Added;
import dev.mainstay.ledger.run.RunReports.Report;
import dev.mainstay.ledger.run.RunReports.Stored;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A report is kept once by its id, and a run ends once. */
public abstract class RunReportsContract extends StateContract {
  private static final CallRun.Id RUN = new CallRun.Id("team", "job-1");

  private Added add(CallRun.Id run, String id, String type, String content) {
    return now(state.runReports().add(run, new Report(id, type, content.getBytes(UTF_8)), NOON));
  }

  @Test
  void aReportIsKeptOnceAndARunEndsOnce() {
    assertThat(add(RUN, "a", "tool", "1")).isInstanceOf(Added.Taken.class);
    assertThat(add(RUN, "a", "tool", "1")).isInstanceOf(Added.Known.class);
    assertThat(add(RUN, "a", "tool", "2")).isInstanceOf(Added.Conflict.class);
    assertThat(add(RUN, "b", "end", "completed")).isInstanceOf(Added.Taken.class);
    assertThat(add(RUN, "c", "end", "failed")).isInstanceOf(Added.Conflict.class);
    var other = new CallRun.Id("others", "job-1");
    assertThat(add(other, "a", "note", "3")).isInstanceOf(Added.Taken.class);
    assertThat(now(state.runReports().read(RUN, 0, 10)))
        .extracting(stored -> stored.report().id())
        .containsExactly("a", "b");
    assertThat(now(state.runReports().ends(List.of(RUN, other))))
        .extracting(Stored::run)
        .containsExactly(RUN);
  }
}
