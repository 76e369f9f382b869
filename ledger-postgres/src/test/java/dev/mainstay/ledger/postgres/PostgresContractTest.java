package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.sql.AlertsContract;
import dev.mainstay.ledger.sql.BudgetsContract;
import dev.mainstay.ledger.sql.ClaimsContract;
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
import java.time.InstantSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL keeps the contract of the state. */
class PostgresContractTest {
  @Nested
  class Claims extends ClaimsContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class LostReply extends LostReplyContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Retention extends RetentionContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Budgets extends BudgetsContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class KeptCalls extends KeptCallsContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Alerts extends AlertsContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Studio extends StudioContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class KeptBytesLimit extends KeptBytesLimitContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Objects extends ProviderObjectsContract {
    @Override
    protected boolean severalAtOnce() {
      return true;
    }

    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Runs extends RunsContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Reports extends RunReportsContract {
    @Override
    protected TestStore store() throws SQLException {
      return new PostgresTestStore();
    }
  }

  @Nested
  class Calls extends LedgerContract {
    @TempDir Path directory;
    private final String url = Servers.newDatabase();

    Calls() throws SQLException {}

    @Override
    protected Ledger open() {
      return PostgresLedger.open(
          new PostgresConfig(url, PostgresConfig.LEASE, searched(directory)),
          InstantSource.fixed(NOON));
    }

    @Override
    protected Connection connect() throws SQLException {
      return DriverManager.getConnection(url);
    }
  }
}
