package dev.mainstay.engine.idempotency;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.http.Loop;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.MemoryBudget.Reservation;
import dev.mainstay.http.MemoryBudget.Use;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.state.DurableState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The calls under way that another request may join: by an idempotency key, or as an SDK's own
 * retry of the same request. Thread-safe.
 */
public final class JoinableCalls {
  /**
   * How long a call goes on after its client left, so that the client's own retry can join it, and
   * how long its answer waits for that. The SDKs wait half a second before their first retry and
   * one before their second: https://github.com/openai/openai-python (_constants.py). With the
   * cancel it is two seconds at most.
   */
  public static final Duration GRACE = Duration.ofMillis(1750);

  /** Most bytes of one answer that can be joined: the longest of today's models, twice over. */
  private static final long PER_ANSWER = 8 << 20;

  private record Key(String client, String key) {}

  private record Held(SharedAnswer answer, String hash) {}

  /**
   * What an SDK's retry has in common with what it repeats. Compared byte by byte where the hashes
   * are equal, which costs less than a hash that could be relied on.
   */
  public static final class Same {
    private final String client;
    private final String path;
    private final String query;
    private final byte[] body;
    private final int hash;

    /**
     * @param body not to be changed any more
     */
    public Same(String client, String path, String query, byte[] body) {
      this.client = client;
      this.path = path;
      this.query = query;
      this.body = body;
      // Once, and by the processor: a map asks for it again and again, and a prompt may be long.
      var crc = new CRC32C();
      crc.update(body, 0, body.length);
      hash = (int) crc.getValue() * 31 + path.hashCode();
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Same same
          && hash == same.hash
          && client.equals(same.client)
          && path.equals(same.path)
          && query.equals(same.query)
          && Arrays.equals(body, same.body);
    }
  }

  private sealed interface Place {
    record ByKey(Key key) implements Place {}

    record BySame(Same same) implements Place {}
  }

  private record Under(SharedAnswer answer, Place place) {}

  /**
   * Calls under way that ask the same, under the key that the map has: found by any other, all of a
   * prompt is compared.
   */
  private record IdenticalCalls(Same same, List<SharedAnswer> answers) {}

  private final @Nullable DurableState state;
  private final MemoryBudget memory;
  private final ConcurrentHashMap<Key, Held> byKey = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Same, IdenticalCalls> bySame = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Under> byCall = new ConcurrentHashMap<>();

  /**
   * @param state where answers are kept, or null: then a key is good while its call runs
   * @param memory what answers under way are kept in
   */
  public JoinableCalls(@Nullable DurableState state, MemoryBudget memory) {
    this.memory = memory;
    this.state = state;
  }

  /** For an answer that is to be kept in the store. */
  private Reservation owed() {
    return reserved(Use.ANSWER);
  }

  private Reservation reserved(Use use) {
    return memory.reserve(use, Math.min(PER_ANSWER, memory.limit(use) / 8));
  }

  /** What became of a request with an idempotency key. */
  public sealed interface Entry {
    /** It reads the answer of the call under way. */
    record Joined() implements Entry {}

    /** It is the first: its call is to be made. */
    record First(SharedAnswer answer) implements Entry {}

    /** The key is another request's. */
    record OtherRequest() implements Entry {}

    /** The call under way has answered more than is kept in memory. */
    record TooLong() implements Entry {}
  }

  /**
   * Takes in a request with an idempotency key, on its exchange's loop.
   *
   * @param client the client's name, or ""
   * @param hash what the request is known by
   * @param call the id its call would have
   * @param lasts whether the call goes on when nobody listens any more
   * @param withIds whether its stream has event ids
   */
  public Entry keyed(
      Recipient to,
      String client,
      String key,
      String hash,
      String call,
      boolean lasts,
      boolean withIds,
      @Nullable String lastEventId) {
    var place = new Key(client, key);
    var made =
        new Held(
            SharedAnswer.joinable(call, to.loop(), lasts ? null : GRACE, withIds, owed()), hash);
    var held = byKey.putIfAbsent(place, made);
    if (held == null) {
      byCall.put(call, new Under(made.answer(), new Place.ByKey(place)));
      made.answer().join(to, lastEventId);
      return new Entry.First(made.answer());
    }
    if (!held.hash().equals(hash)) {
      return new Entry.OtherRequest();
    }
    return held.answer().join(to, lastEventId) ? new Entry.Joined() : new Entry.TooLong();
  }

  /**
   * Lets an SDK's retry read the answer of the request it repeats, on its exchange's loop: one that
   * nobody hears any more before one that is still listened to, because the gateway may not have
   * seen yet that the client left.
   *
   * @return whether there was one that no other retry had claimed
   */
  public boolean claimed(Recipient to, Same same) {
    var twins = bySame.get(same);
    if (twins == null) {
      return false;
    }
    List<SharedAnswer> answers;
    synchronized (twins) {
      answers = List.copyOf(twins.answers());
    }
    for (boolean onlyUnheard : new boolean[] {true, false}) {
      for (var answer : answers) {
        if (answer.claim(to, onlyUnheard)) {
          if (!byCall.containsKey(answer.call())) {
            forget(answer, same);
          }
          return true;
        }
      }
    }
    return false;
  }

  /** The answer of a request that its SDK may send again; {@code to} reads it. */
  @SuppressWarnings("ReferenceEquality") // the map's own key, or one that equals it
  public SharedAnswer retried(
      Recipient to, Same same, String call, boolean lasts, boolean withIds) {
    var answer =
        SharedAnswer.joinable(call, to.loop(), lasts ? null : GRACE, withIds, reserved(Use.CACHE));
    byCall.put(call, new Under(answer, new Place.BySame(same)));
    answer.join(to, null);
    var twins =
        bySame.compute(
            same,
            (key, known) -> {
              var all = known == null ? new IdenticalCalls(key, new ArrayList<>(1)) : known;
              synchronized (all) {
                all.answers().add(answer);
              }
              return all;
            });
    if (twins.same() != same) {
      byCall.replace(call, new Under(answer, new Place.BySame(twins.same())));
    }
    return answer;
  }

  /** The answer of a call that is finished when its client leaves; {@code to} reads it. */
  public SharedAnswer finishing(Recipient to, String call) {
    var answer = SharedAnswer.finishing(call, to.loop(), reserved(Use.CACHE));
    answer.read(to);
    return answer;
  }

  /** The answer of a call that is finished and kept whoever leaves; {@code to} reads it. */
  public SharedAnswer lasting(Recipient to, String call) {
    var answer = lasting(to.loop(), call);
    answer.read(to);
    return answer;
  }

  /** The answer of a call that nobody waits for. */
  public SharedAnswer lasting(Loop loop, String call) {
    return SharedAnswer.joinable(call, loop, null, false, owed());
  }

  /** A call has ended: what it answered is kept if it went well, and its key given back if not. */
  public void ended(CallRecord call) {
    over(call.id(), call.verdict() == null && call.status() >= 200 && call.status() < 300);
  }

  /** A call was refused before it began. */
  public void refused(String call) {
    over(call, false);
  }

  /**
   * The key has its answer already, or belongs to another request: nothing changes in the store.
   */
  public void replayed(String call) {
    var under = byCall.remove(call);
    if (under != null && under.place() instanceof Place.ByKey at) {
      byKey.remove(at.key());
      under.answer().close();
    }
  }

  private void over(String call, boolean well) {
    var under = byCall.remove(call);
    if (under == null) {
      return;
    }
    var answer = under.answer();
    switch (under.place()) {
      case Place.ByKey at -> {
        if (state != null) {
          var stored = well ? answer.stored() : null;
          var claims = state.claims();
          if (stored == null) {
            claims.release(at.key().client(), at.key().key(), call);
          } else {
            claims.keep(at.key().client(), at.key().key(), stored);
          }
        }
        // After the store was asked: a request that comes now asks it after that.
        byKey.remove(at.key());
        answer.close();
      }
      case Place.BySame at -> {
        if (well && answer.unheard()) {
          answer.loop().schedule(GRACE, () -> forget(answer, at.same()));
        } else {
          forget(answer, at.same());
        }
      }
    }
  }

  private void forget(SharedAnswer answer, Same same) {
    bySame.computeIfPresent(
        same,
        (key, twins) -> {
          synchronized (twins) {
            twins.answers().remove(answer);
            return twins.answers().isEmpty() ? null : twins;
          }
        });
    answer.close();
  }

  /** For tests: whether nothing is remembered. */
  boolean isEmpty() {
    return byKey.isEmpty() && bySame.isEmpty() && byCall.isEmpty();
  }
}
