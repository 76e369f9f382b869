package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.state.Signals;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Hints as texts of {@code topic token text}. */
final class SqlSignals implements Signals {
  private final GroupCommit commits;
  private final Registration me;
  private final Database database;
  private final Map<String, List<Consumer<String>>> listeners = new ConcurrentHashMap<>();

  SqlSignals(GroupCommit commits, Registration me, Database database) {
    this.commits = commits;
    this.me = me;
    this.database = database;
  }

  @Override
  public void send(String topic, String text) {
    if (text.getBytes(UTF_8).length <= MAX_BYTES) {
      commits.read(
          db -> {
            send(db, topic, text);
            return true;
          });
    }
  }

  /** Sends {@code text} when the transaction of {@code db} ends. */
  void send(Db db, String topic, String text) throws SQLException {
    database.send(db, topic + ' ' + me.token() + ' ' + text);
  }

  @Override
  public void on(String topic, Consumer<String> listener) {
    listeners.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>()).add(listener);
  }

  /** A text has arrived; this process's own are left out. */
  void received(String sent) {
    var parts = sent.split(" ", 3);
    if (parts.length == 3 && !parts[1].equals(Long.toString(me.token()))) {
      listeners.getOrDefault(parts[0], List.of()).forEach(each -> each.accept(parts[2]));
    }
  }
}
