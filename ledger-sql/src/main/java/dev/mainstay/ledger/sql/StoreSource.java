package dev.mainstay.ledger.sql;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store that is read as a whole, while no process writes it. */
public interface StoreSource extends AutoCloseable {

  /** The databases that hold its rows. Each table is in one of them. */
  List<Connection> databases();

  /**
   * The bytes of a body.
   *
   * @param place as the columns {@code request} and {@code response} of calls and attempts name it
   * @return null where retention has deleted them
   * @throws dev.mainstay.ledger.LedgerException where they are damaged
   */
  byte @Nullable [] body(String place);

  @Override
  void close();
}
