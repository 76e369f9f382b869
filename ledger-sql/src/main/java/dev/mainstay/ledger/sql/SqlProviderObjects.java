package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.ProviderObjects;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** What providers keep, one row for each object. */
final class SqlProviderObjects implements ProviderObjects {
  private static final Duration LASTING = Duration.ofDays(400);
  private static final Duration PASSING = Duration.ofDays(31);

  /** Rows of what model calls leave: some 300 MB. */
  private static final long MOST_PASSING = 2_000_000;

  private static final long MOST_LASTING = 200_000;

  /** Rows deleted at a time, so that no call waits long behind them. */
  private static final int DELETE_AT_ONCE = 500;

  private static final int ROW = 100;

  private final GroupCommit commits;

  /** What the store does not have yet; the bytes that may wait for the store bound it. */
  private final ConcurrentHashMap<String, CreatedObject> waiting = new ConcurrentHashMap<>();

  SqlProviderObjects(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Boolean> remember(List<CreatedObject> objects, Instant now) {
    var kept = new ArrayList<CreatedObject>(objects);
    kept.removeIf(object -> object.id().isEmpty() || object.id().length() > LONGEST_ID);
    if (kept.isEmpty()) {
      return CompletableFuture.completedStage(true);
    }
    // One order for all processes, so that two of them never wait for each other.
    kept.sort(Comparator.comparing(CreatedObject::id));
    kept.forEach(object -> waiting.put(object.id(), object));
    GroupCommit.Work<Boolean> insert = db -> insert(db, kept, now);
    if (commits.trouble() == null) {
      return commits
          .write(insert)
          .thenApply(written -> written(kept, written))
          .exceptionally(failed -> later(insert, kept));
    }
    return CompletableFuture.completedStage(later(insert, kept));
  }

  private boolean later(GroupCommit.Work<Boolean> insert, List<CreatedObject> objects) {
    long bytes = objects.stream().mapToLong(object -> ROW + 2L * object.id().length()).sum();
    commits
        .mustArrive(insert, bytes)
        .whenComplete((written, failed) -> written(objects, failed == null));
    return false;
  }

  private boolean written(List<CreatedObject> objects, boolean done) {
    objects.forEach(object -> waiting.remove(object.id(), object));
    return done;
  }

  private static boolean insert(Db db, List<CreatedObject> objects, Instant now)
      throws SQLException {
    for (var object : objects) {
      db.update(
          "insert into provider_objects (id, provider, model, api_key, client, lasting, expires_at)"
              + " values (?, ?, ?, ?, ?, ?, ?) on conflict (id, provider) do update set"
              + " api_key = excluded.api_key, expires_at = excluded.expires_at"
              + " where provider_objects.client = excluded.client",
          object.id(),
          object.provider(),
          object.model(),
          object.key(),
          object.client(),
          object.lasting() ? 1 : 0,
          Micros.of(now.plus(object.lasting() ? LASTING : PASSING)));
    }
    return true;
  }

  @Override
  public CompletionStage<List<CreatedObject>> find(List<String> ids, Instant now) {
    var found = new ArrayList<CreatedObject>();
    var asked = new LinkedHashSet<>(ids);
    for (var id : ids) {
      var here = waiting.get(id);
      if (here != null && asked.remove(id)) {
        found.add(here);
      }
    }
    if (asked.isEmpty()) {
      return CompletableFuture.completedStage(found);
    }
    return commits
        .read(db -> rows(db, asked, now))
        .thenApply(
            rows -> {
              var old = Micros.of(now.plus(LASTING.dividedBy(2)));
              var used = new ArrayList<CreatedObject>();
              for (var row : rows) {
                found.add(row.made());
                if (row.made().lasting() && row.expiresAt() < old) {
                  used.add(row.made());
                }
              }
              if (!used.isEmpty()) {
                commits.write(db -> insert(db, used, now));
              }
              return found;
            });
  }

  private record Row(CreatedObject made, long expiresAt) {}

  private static List<Row> rows(Db db, Iterable<String> ids, Instant now) throws SQLException {
    var rows = new ArrayList<Row>();
    for (var id : ids) {
      rows.addAll(
          db.all(
              "select id, provider, model, api_key, client, lasting, expires_at from"
                  + " provider_objects where id = ? and expires_at > ? order by number desc",
              SqlProviderObjects::row,
              id,
              Micros.of(now)));
    }
    return rows;
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        new CreatedObject(
            row.getString(1),
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getInt(6) != 0),
        row.getLong(7));
  }

  /** Deletes some of what has expired or is too many; says whether there is more. */
  boolean tidy(Db db, Instant now) throws SQLException {
    int expired =
        db.update(
            "delete from provider_objects where number in (select number from provider_objects"
                + " where expires_at <= ? limit ?)",
            Micros.of(now),
            DELETE_AT_ONCE);
    // Numbers grow with what calls leave: their distance is the count, near enough.
    long newest = db.number("select max(number) from provider_objects where lasting = 0");
    int passing = trim(db, 0, newest - MOST_PASSING);
    int lasting =
        trim(
            db,
            1,
            db.number(
                "select number from provider_objects where lasting = 1 order by number desc limit 1"
                    + " offset ?",
                MOST_LASTING));
    return expired == DELETE_AT_ONCE || passing == DELETE_AT_ONCE || lasting == DELETE_AT_ONCE;
  }

  private static int trim(Db db, int lasting, long oldest) throws SQLException {
    return oldest <= 0
        ? 0
        : db.update(
            "delete from provider_objects where number in (select number from provider_objects"
                + " where lasting = ? and number <= ? limit ?)",
            lasting,
            oldest,
            DELETE_AT_ONCE);
  }
}
