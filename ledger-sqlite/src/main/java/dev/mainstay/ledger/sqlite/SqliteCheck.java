package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.StoreCheck;
import dev.mainstay.ledger.sql.StoreReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** Looks an embedded store over: its files, rows and bodies. Changes nothing. */
final class SqliteCheck {
  private final Path directory;
  private final StoreReport report = new StoreReport();

  SqliteCheck(Path directory) {
    this.directory = directory;
  }

  StoreReport run() {
    if (!Files.exists(Store.database(directory))) {
      throw new LedgerException(
          "no ledger in %s: nothing was recorded there yet".formatted(directory));
    }
    file(directory.resolve("state.db"), Migrations.STATE);
    file(Store.database(directory), Migrations.CALLS);
    report.waiting(directory.resolve("log"));
    return report;
  }

  private void file(Path file, Migrations schema) {
    if (!Files.exists(file)) {
      report.problems().add(file + " is not there");
      return;
    }
    try (var db = SqliteSource.readOnly(file)) {
      int before = report.problems().size();
      integrity(db, file);
      if (report.problems().size() > before) {
        return;
      }
      int version = Migrations.version(db);
      if (version != schema.newest()) {
        report
            .problems()
            .add(
                "%s has schema %d, this Mainstay knows %d: %s"
                    .formatted(
                        file,
                        version,
                        schema.newest(),
                        version < schema.newest()
                            ? "`mainstay serve` brings it up to date"
                            : "a newer Mainstay wrote it"));
        return;
      }
      StoreCheck.rows(db, report);
      if (schema == Migrations.CALLS) {
        bodies(db);
      }
    } catch (SQLException e) {
      report.problems().add("%s cannot be read: %s".formatted(file, e.getMessage()));
    }
  }

  /** https://www.sqlite.org/pragma.html#pragma_integrity_check */
  private void integrity(Connection db, Path file) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery("pragma integrity_check(20)")) {
      while (row.next()) {
        var said = row.getString(1);
        if (!said.equals("ok")) {
          report.problems().add("%s is damaged: %s".formatted(file, said));
        }
      }
    }
  }

  /** Reads each body that a row points at, and holds it against its checksum. */
  private void bodies(Connection db) throws SQLException {
    long whole = 0;
    long gone = 0;
    long damaged = 0;
    var first = "";
    try (var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select request from calls where request is not null union select response from"
                    + " calls where response is not null union select request from attempts where"
                    + " request is not null union select response from attempts where response is"
                    + " not null")) {
      while (row.next()) {
        try {
          if (Segments.readKept(Store.bodies(directory), Segments.Place.parse(row.getString(1)))
              == null) {
            gone++;
          } else {
            whole++;
          }
        } catch (LedgerException e) {
          damaged++;
          first = first.isEmpty() ? String.valueOf(e.getMessage()) : first;
        }
      }
    }
    report.counts().put("bodies", whole);
    if (gone > 0) {
      report.notes().add(gone + " bodies were deleted by retention; their rows are kept");
    }
    if (damaged > 0) {
      report.problems().add(damaged + " bodies are damaged, the first: " + first);
    }
  }
}
