package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.sqlite.SqliteDatabases;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class GroupCommitTest {
  @TempDir Path directory;

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private GroupCommit started(GroupCommit.Work<Boolean> tidy, long tidyEveryNanos)
      throws SQLException {
    var database = SqliteDatabases.at(directory.resolve("state.db"));
    var commits = new GroupCommit(database, StateConnection.Fence.NONE, tidy, tidyEveryNanos);
    commits.start(db -> true);
    now(commits.write(db -> db.update("create table t (bytes blob)")));
    return commits;
  }

  /** From now on the file is as full as a disk would make it. */
  private static void fill(GroupCommit commits) {
    now(commits.read(db -> db.number("pragma max_page_count = 4")));
  }

  private static CompletionStage<Integer> large(GroupCommit commits) {
    return commits.write(db -> db.update("insert into t values (zeroblob(100000))"));
  }

  @Test
  void troubleIsSaidCountedAndSeenToEndWithoutAnybodyAsking() throws Exception {
    var commits = started(db -> false, 1_000_000);
    fill(commits);
    assertThatThrownBy(() -> now(large(commits))).hasMessageContaining("SQLITE_FULL");
    assertThat(commits.failed()).isEqualTo(1);
    // A write that needs no page more goes well: what is tried then is one of those.
    while (commits.trouble() != null) {
      Thread.onSpinWait();
    }
    commits.end();
  }

  /** Else the health said that all is well between any two writes that failed. */
  @Test
  void whatWritesNothingIsNoSignThatTheTroubleIsOver() throws Exception {
    var commits = started(db -> false, TimeUnit.DAYS.toNanos(1));
    fill(commits);
    assertThatThrownBy(() -> now(large(commits))).hasMessageContaining("SQLITE_FULL");
    now(commits.read(db -> db.number("select count(*) from t")));
    now(commits.write(db -> db.update("delete from t where bytes is null")));
    assertThat(commits.trouble()).contains("SQLITE_FULL");
    now(commits.write(db -> db.update("insert into t values ('small')")));
    assertThat(commits.trouble()).isNull();
    commits.end();
  }

  @Test
  void aFileThatIsNoDatabaseAnyMoreIsTrouble() throws Exception {
    var commits =
        started(
            db -> {
              throw new SQLException("[SQLITE_CORRUPT] the database disk image");
            },
            1_000_000);
    while (commits.trouble() == null) {
      Thread.onSpinWait();
    }
    assertThat(commits.trouble()).contains("SQLITE_CORRUPT");
    commits.end();
  }

  /** A lease that a worker gives back would else stay with a process in which no worker has it. */
  @Test
  void whatMustArriveWaitsUntilTheDiskHasRoom() throws Exception {
    var commits = started(db -> false, TimeUnit.DAYS.toNanos(1));
    fill(commits);
    var arrives = commits.mustArrive(db -> db.update("insert into t values (zeroblob(100000))"), 1);
    assertThatThrownBy(() -> now(large(commits))).hasMessageContaining("SQLITE_FULL");
    assertThat(commits.waiting()).isEqualTo(1);
    now(commits.read(db -> db.number("pragma max_page_count = 1000")));
    assertThat(now(arrives)).isEqualTo(1);
    commits.end();
  }
}
