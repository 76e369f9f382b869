package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.Claims.Claim;
import dev.mainstay.ledger.state.StoredAnswer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Claims that this process alone knows of, because the store was away when they were made. Each
 * stays until its answer is in the store. Thread-safe.
 */
final class ClaimsWithoutStore {
  /** Of answers; the oldest go first. */
  private static final long MOST_BYTES = 16 << 20;

  private static final int EACH = 512;

  private record Key(String client, String key) {}

  /**
   * A claim.
   *
   * @param answer null until its call has answered
   */
  record Local(
      String bodyHash, String call, Instant now, Instant until, @Nullable StoredAnswer answer) {
    long bytes() {
      return EACH + (answer == null ? 0 : answer.body().length);
    }
  }

  private final Map<Key, Local> claims = new LinkedHashMap<>();
  private long bytes;

  /** What another request under the key comes to; null where none is known. */
  synchronized @Nullable Claim find(String client, String key, String bodyHash, Instant now) {
    var local = claims.get(new Key(client, key));
    if (local == null || !local.until().isAfter(now)) {
      return null;
    }
    if (!local.bodyHash().equals(bodyHash)) {
      return new Claim.OtherRequest();
    }
    var answer = local.answer();
    return answer == null ? new Claim.Held(local.call(), true) : new Claim.Answered(answer);
  }

  synchronized Claim claim(
      String client, String key, String bodyHash, String call, Instant now, Instant until) {
    var known = find(client, key, bodyHash, now);
    if (known != null) {
      return known;
    }
    put(new Key(client, key), new Local(bodyHash, call, now, until, null));
    return new Claim.Fresh(true);
  }

  /** Remembers the answer of a call that claimed its key here; null where it did not. */
  synchronized @Nullable Local answered(String client, String key, StoredAnswer answer) {
    var local = claims.get(new Key(client, key));
    if (local == null || !local.call().equals(answer.call())) {
      return null;
    }
    put(
        new Key(client, key),
        new Local(local.bodyHash(), local.call(), local.now(), local.until(), answer));
    return local;
  }

  synchronized void forget(String client, String key, String call) {
    var local = claims.get(new Key(client, key));
    if (local != null && local.call().equals(call)) {
      bytes -= local.bytes();
      claims.remove(new Key(client, key));
    }
  }

  private void put(Key key, Local local) {
    var before = claims.put(key, local);
    bytes += local.bytes() - (before == null ? 0 : before.bytes());
    var oldest = claims.entrySet().iterator();
    while (bytes > MOST_BYTES && oldest.hasNext()) {
      bytes -= oldest.next().getValue().bytes();
      oldest.remove();
    }
  }
}
