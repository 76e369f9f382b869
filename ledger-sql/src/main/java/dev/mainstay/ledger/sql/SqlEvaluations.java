package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.Evaluations;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A row for each evaluation, and one for each of its metrics, so that SQL can add them up. */
final class SqlEvaluations implements Evaluations {

  private final GroupCommit commits;

  SqlEvaluations(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Long> add(Evaluation evaluation) {
    return commits.write(
        db -> {
          long number =
              db.number(
                  "insert into evaluations (at, run, call, note, author) values (?, ?, ?, ?, ?)"
                      + " returning number",
                  Micros.of(evaluation.at()),
                  evaluation.run(),
                  evaluation.call(),
                  evaluation.note(),
                  evaluation.by());
          for (var metric : evaluation.metrics().entrySet()) {
            db.update(
                "insert into evaluation_metrics (evaluation, name, value) values (?, ?, ?)",
                number,
                metric.getKey(),
                metric.getValue());
          }
          return number;
        });
  }

  @Override
  public CompletionStage<List<Evaluation>> page(
      @Nullable String run, @Nullable String call, long before, int limit) {
    var sql = new StringBuilder("select number, at, run, call, note, author from evaluations");
    sql.append(" where number < ?");
    var values = new ArrayList<Object>(List.of(before));
    if (run != null) {
      sql.append(" and run = ?");
      values.add(run);
    }
    if (call != null) {
      sql.append(" and call = ?");
      values.add(call);
    }
    sql.append(" order by number desc limit ?");
    values.add(limit);
    return commits.read(
        db -> {
          var found = db.all(sql.toString(), SqlEvaluations::evaluation, values.toArray());
          if (found.isEmpty()) {
            return found;
          }
          var metrics = new HashMap<Long, Map<String, Double>>();
          found.forEach(each -> metrics.put(each.number(), each.metrics()));
          var numbers = InList.of(metrics.keySet());
          db.all(
              "select evaluation, name, value from evaluation_metrics where evaluation in "
                  + numbers.places()
                  + " order by name",
              row ->
                  Objects.requireNonNull(metrics.get(row.getLong(1)))
                      .put(row.getString(2), row.getDouble(3)),
              numbers.values().toArray());
          return found;
        });
  }

  private static Evaluation evaluation(ResultSet row) throws SQLException {
    Map<String, Double> metrics = new LinkedHashMap<>();
    return new Evaluation(
        row.getLong(1),
        Micros.instant(row.getLong(2)),
        row.getString(3),
        row.getString(4),
        metrics,
        row.getString(5),
        row.getString(6));
  }
}
