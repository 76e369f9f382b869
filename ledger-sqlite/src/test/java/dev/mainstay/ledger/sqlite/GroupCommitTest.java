package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class GroupCommitTest {
  @TempDir Path directory;

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static int number(Db db, String sql) throws SQLException {
    return Objects.requireNonNull(db.first(sql, row -> row.getInt(1)));
  }

  @Test
  void troubleIsSaidCountedAndSeenToEndWithoutAnybodyAsking() throws Exception {
    try (var connection =
        DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("state.db"))) {
      var db = new Db(connection);
      db.execute("pragma journal_mode = wal");
      db.execute("create table t (bytes blob)");
      var commits = new GroupCommit(db, same -> false, 1_000_000);
      commits.start();
      now(commits.submit(same -> number(same, "pragma max_page_count = 4")));
      var large = commits.submit(same -> same.update("insert into t values (zeroblob(100000))"));
      assertThatThrownBy(() -> now(large)).hasMessageContaining("SQLITE_FULL");
      assertThat(commits.failed()).isEqualTo(1);
      // A write that needs no page more goes well: what is tried then is one of those.
      while (commits.trouble() != null) {
        Thread.onSpinWait();
      }
      Integer version = now(commits.submit(same -> number(same, "pragma user_version")));
      assertThat(version).isZero();
      commits.end();
    }
  }

  /** Else the health said that all is well between any two writes that failed. */
  @Test
  void whatWritesNothingIsNoSignThatTheTroubleIsOver() throws Exception {
    try (var connection =
        DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("state.db"))) {
      var db = new Db(connection);
      db.execute("pragma journal_mode = wal");
      db.execute("create table t (bytes blob)");
      var commits = new GroupCommit(db, same -> false, TimeUnit.DAYS.toNanos(1));
      commits.start();
      now(commits.submit(same -> number(same, "pragma max_page_count = 4")));
      var large = commits.submit(same -> same.update("insert into t values (zeroblob(100000))"));
      assertThatThrownBy(() -> now(large)).hasMessageContaining("SQLITE_FULL");
      now(commits.submit(same -> number(same, "select count(*) from t")));
      now(commits.submit(same -> same.update("delete from t where bytes is null")));
      assertThat(commits.trouble()).contains("SQLITE_FULL");
      now(commits.submit(same -> same.update("insert into t values ('small')")));
      assertThat(commits.trouble()).isNull();
      commits.end();
    }
  }

  @Test
  void aFileThatIsNoDatabaseAnyMoreIsTrouble() throws Exception {
    try (var connection =
        DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("state.db"))) {
      var db = new Db(connection);
      var commits =
          new GroupCommit(
              db,
              same -> {
                throw new java.sql.SQLException("[SQLITE_CORRUPT] the database disk image");
              },
              1_000_000);
      commits.start();
      while (commits.trouble() == null) {
        Thread.onSpinWait();
      }
      assertThat(commits.trouble()).contains("SQLITE_CORRUPT");
      commits.end();
    }
  }
}
