package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.sql.CallQueries;
import dev.mainstay.ledger.sql.TextSearch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which index SQLite takes for the calls of a run. */
class RunCallsPlanTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Field.class)
  void readsTheRunsCallsWhateverElseIsAskedFor(Field other) throws Exception {
    SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Fixtures.NOON)).close();
    var query =
        CallQuery.newest(10)
            .where(other, other == Field.STATUS ? "503" : "x")
            .where(Field.RUN, "r");
    var asked = new ArrayList<String>();
    try (var db = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("calls.db"))) {
      CallQueries.calls(noting(db, asked), query, TextSearch.FTS5);
      assertThat(plan(db, asked.getLast())).singleElement().asString().contains("calls_by_run");
    }
  }

  @ParameterizedTest
  @EnumSource(Field.class)
  void looksForACallOfARunAmongItsOwn(Field field) throws Exception {
    SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Fixtures.NOON)).close();
    var asked = new ArrayList<String>();
    try (var db = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("calls.db"))) {
      var call = Map.of(field, field == Field.STATUS ? "503" : "x");
      CallQueries.runsWith(noting(db, asked), "c", List.of("r", "s"), call);
      assertThat(plan(db, asked.getLast()))
          .filteredOn(step -> step.contains("calls"))
          .singleElement()
          .asString()
          .contains("calls_by_run (run=?)");
    }
  }

  @Test
  void looksUpTheLastCallOfEachRunByItsNumber() throws Exception {
    SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Fixtures.NOON)).close();
    var asked = new ArrayList<String>();
    try (var db = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("calls.db"))) {
      CallQueries.lastCalls(noting(db, asked), List.of("r", "s"));
      assertThat(plan(db, asked.getLast()))
          .filteredOn(step -> step.contains("calls"))
          .satisfiesExactlyInAnyOrder(
              one -> assertThat(one).contains("USING INTEGER PRIMARY KEY (rowid=?)"),
              one -> assertThat(one).contains("calls_by_run (run=?)"));
    }
  }

  private static List<String> plan(Connection db, String sql) throws SQLException {
    var steps = new ArrayList<String>();
    try (var explain = db.prepareStatement("explain query plan " + sql);
        var row = explain.executeQuery()) {
      while (row.next()) {
        steps.add(row.getString("detail"));
      }
    }
    return steps;
  }

  private static Connection noting(Connection db, List<String> asked) {
    return (Connection)
        Proxy.newProxyInstance(
            RunCallsPlanTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                asked.add((String) arguments[0]);
              }
              try {
                return method.invoke(db, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
