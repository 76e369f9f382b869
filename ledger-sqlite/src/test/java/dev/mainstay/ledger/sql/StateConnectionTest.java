package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.sqlite.SqliteDatabases;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StateConnectionTest {
  @TempDir Path directory;
  private final List<Connection> opened = new ArrayList<>();

  private Database database() {
    var real = SqliteDatabases.at(directory.resolve("state.db"));
    return (Database)
        Proxy.newProxyInstance(
            Database.class.getClassLoader(),
            new Class<?>[] {Database.class},
            (proxy, method, arguments) -> {
              var result = method.invoke(real, arguments);
              if (result instanceof Connection connection) {
                opened.add(connection);
              }
              return result;
            });
  }

  /** A database that is there but cannot be registered with would run out of connections. */
  @Test
  void aConnectionThatCannotRegisterIsClosed() throws Exception {
    var fence =
        new StateConnection.Fence() {
          @Override
          public boolean stands(Db db) {
            return false;
          }

          @Override
          public void register(Db db) throws SQLException {
            throw new SQLException("read-only");
          }
        };
    var connection = new StateConnection(database(), fence, db -> false);
    assertThat(connection.connected()).isFalse();
    assertThat(connection.trouble()).contains("read-only");
    assertThat(opened).hasSize(1);
    assertThat(opened.getFirst().isClosed()).isTrue();
  }
}
