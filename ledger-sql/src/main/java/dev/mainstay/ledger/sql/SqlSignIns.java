package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.SignIns;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A row for each session, and one for each try to begin one. */
final class SqlSignIns implements SignIns {
  /** What an end holds in memory until the store takes it. */
  private static final long END_BYTES = 256;

  private static final String NEWEST =
      "select digest from sign_ins where account = ? order by expires_at desc, digest limit "
          + MOST_OF_ONE;

  private final GroupCommit commits;

  SqlSignIns(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Boolean> begin(Session session) {
    return commits.write(
        db -> {
          db.update(
              "insert into sign_ins (digest, account, proof, expires_at) values (?, ?, ?, ?)",
              session.digest(),
              session.account(),
              session.proof(),
              Micros.of(session.expiresAt()));
          db.update(
              "delete from sign_ins where account = ? and digest not in (" + NEWEST + ")",
              session.account(),
              session.account());
          return true;
        });
  }

  @Override
  public CompletionStage<List<Session>> find(String digest) {
    return commits.read(
        db ->
            db.all(
                "select digest, account, proof, expires_at from sign_ins where digest = ?",
                row ->
                    new Session(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        Micros.instant(row.getLong(4))),
                digest));
  }

  @Override
  public CompletionStage<Boolean> end(String digest) {
    return commits.mustArrive(
        db -> db.update("delete from sign_ins where digest = ?", digest) > 0, END_BYTES);
  }

  @Override
  public CompletionStage<Duration> attempt(List<String> who, Instant now) {
    var sorted = who.stream().sorted().toList();
    return commits.write(
        db -> {
          long oldest = Micros.of(now.minus(WINDOW));
          var wait = Duration.ZERO;
          for (var each : sorted) {
            var tries =
                db.all(
                    "select at from sign_in_tries where who = ? and at > ? order by at",
                    row -> Micros.instant(row.getLong(1)),
                    each,
                    oldest);
            if (tries.size() >= FREE) {
              var rest = Duration.between(now, tries.get(tries.size() - FREE).plus(WINDOW));
              wait = rest.compareTo(wait) > 0 ? rest : wait;
            }
          }
          if (wait.isZero()) {
            for (var each : sorted) {
              db.update("insert into sign_in_tries (who, at) values (?, ?)", each, Micros.of(now));
            }
          }
          return wait;
        },
        sorted.stream().map(each -> "sign-in " + each).toArray(String[]::new));
  }

  @Override
  public CompletionStage<Boolean> forgive(List<String> who) {
    return commits.write(
        db -> {
          int gone = 0;
          for (var each : who) {
            gone += db.update("delete from sign_in_tries where who = ?", each);
          }
          return gone > 0;
        });
  }
}
