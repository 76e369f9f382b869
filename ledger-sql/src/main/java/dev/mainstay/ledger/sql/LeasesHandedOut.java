package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore.Lease;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases of runs that this process knows it has. A connection that breaks while a claim is
 * being committed, and a store that does not take a lease back, leave runs leased to a process in
 * which no worker has them: the next claim queues them again. Thread-safe.
 */
final class LeasesHandedOut {
  private final Set<Lease> known = ConcurrentHashMap.newKeySet();
  private volatile boolean unconfirmed;

  /** A claim is made again: whether it was committed before is unknown. */
  void unconfirmed() {
    unconfirmed = true;
  }

  /** Notes what {@code claim} brings, or that nobody knows what it brought. */
  CompletionStage<List<Lease>> watch(CompletionStage<List<Lease>> claim) {
    return claim.whenComplete(
        (leases, failure) -> {
          if (failure == null) {
            known.addAll(leases);
          } else {
            unconfirmed = true;
          }
        });
  }

  /** Within the transaction of the next claim. */
  void requeueUnknown(Db db, long instance) throws SQLException {
    if (!unconfirmed) {
      return;
    }
    var held =
        db.all(
            "select id, token from runs where status = 'running' and holder = ?",
            row -> new Lease(row.getString(1), row.getLong(2), 0),
            instance);
    known.removeIf(each -> held.stream().noneMatch(lease -> isSame(lease, each)));
    for (var lease : held) {
      if (known.stream().noneMatch(each -> isSame(lease, each))) {
        db.update(
            "update runs set status = 'queued', holder = 0 where id = ? and token = ? and holder ="
                + " ?",
            lease.run(),
            lease.token(),
            instance);
      }
    }
    unconfirmed = false;
  }

  private static boolean isSame(Lease lease, Lease other) {
    return lease.run().equals(other.run()) && lease.token() == other.token();
  }

  /**
   * The lease is over with {@code last}: the run is given back, parked or ended. Where the store did
   * not confirm that, no worker has the run and the store may say that one does.
   */
  <T> CompletionStage<T> until(Lease lease, CompletionStage<T> last) {
    return last.whenComplete(
        (result, failure) -> {
          known.remove(lease);
          if (failure != null) {
            unconfirmed = true;
          }
        });
  }
}
