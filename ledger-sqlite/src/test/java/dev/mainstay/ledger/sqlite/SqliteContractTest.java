package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.sql.AlertsContract;
import dev.mainstay.ledger.sql.BudgetsContract;
import dev.mainstay.ledger.sql.ClaimsContract;
import dev.mainstay.ledger.sql.Database;
import dev.mainstay.ledger.sql.KeptBytesLimitContract;
import dev.mainstay.ledger.sql.KeptCallsContract;
import dev.mainstay.ledger.sql.LedgerContract;
import dev.mainstay.ledger.sql.LostReplyContract;
import dev.mainstay.ledger.sql.ProviderObjectsContract;
import dev.mainstay.ledger.sql.RetentionContract;
import dev.mainstay.ledger.sql.RunReportsContract;
import dev.mainstay.ledger.sql.RunsContract;
import dev.mainstay.ledger.sql.StudioContract;
import dev.mainstay.ledger.sql.TestStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store keeps the contract of the state. */
class SqliteContractTest {
  @TempDir Path directory;

  private record Embedded(Path directory) implements TestStore {
    @Override
    public Opened open(Instant now, long maxBytes) throws Exception {
      var state = SqliteState.open(directory, InstantSource.fixed(now), maxBytes);
      return new Opened(state, state::close);
    }

    @Override
    public Database database() {
      return SqliteDatabases.at(directory.resolve("state.db"));
    }

    @Override
    public long number(String sql) throws Exception {
      try (var db = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("state.db"));
          var statement = db.createStatement();
          var row = statement.executeQuery(sql)) {
        return row.getLong(1);
      }
    }

    @Override
    public void close() {}
  }

  @Nested
  class Claims extends ClaimsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class LostReply extends LostReplyContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Retention extends RetentionContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Budgets extends BudgetsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class KeptCalls extends KeptCallsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Alerts extends AlertsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Studio extends StudioContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class KeptBytesLimit extends KeptBytesLimitContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Objects extends ProviderObjectsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Runs extends RunsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Reports extends RunReportsContract {
    @Override
    protected TestStore store() {
      return new Embedded(directory);
    }
  }

  @Nested
  class Calls extends LedgerContract {
    @Override
    protected Ledger open() {
      return SqliteLedger.open(searched(directory), InstantSource.fixed(NOON));
    }

    @Override
    protected Connection connect() throws SQLException {
      return DriverManager.getConnection("jdbc:sqlite:" + Store.database(directory));
    }
  }
}
