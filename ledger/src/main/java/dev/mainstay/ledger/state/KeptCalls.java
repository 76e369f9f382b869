package dev.mainstay.ledger.state;

import dev.mainstay.ledger.run.CallRun;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Calls that must not be lost, from before they begin until what came of them has expired. A
 * request is kept as it came for as long as a call may have to be made of it; once it was answered,
 * redriven or discarded, only its hash is. Threads and failures as in {@link DurableState}.
 */
public interface KeptCalls {

  /** What becomes of a kept call. */
  enum Status {
    RUNNING,
    ANSWERED,
    /** A dead letter: it failed, and nothing has been done about it. */
    DEAD,
    REDRIVEN,
    DISCARDED
  }

  /**
   * A request as it came.
   *
   * @param async whether its client does not wait for the answer
   * @param key its idempotency key, or null
   * @param bodyHash what the request is known by
   * @param headers those that decide what is made of it; no key is among them
   * @param body empty, and headers too, once no call is made of it any more
   */
  @SuppressWarnings("ArrayRecordComponent") // written and read once
  record Request(
      String client,
      boolean async,
      @Nullable String key,
      String bodyHash,
      String path,
      String query,
      List<Map.Entry<String, String>> headers,
      byte[] body) {
    public Request {
      headers = List.copyOf(headers);
    }
  }

  /**
   * A kept call.
   *
   * @param endedAt null while it runs
   * @param verdict why it failed, {@code CLASS/kind}, or null
   * @param redrivenAs the call that was made in its place, or null
   * @param answer what was answered, an error too; null while it runs, or where it was too long
   */
  record Kept(
      String call,
      Status stand,
      Instant acceptedAt,
      @Nullable Instant endedAt,
      @Nullable String verdict,
      @Nullable String redrivenAs,
      Request request,
      @Nullable StoredAnswer answer) {}

  /** What became of a call that was to be accepted. */
  sealed interface Accepted {
    /** It is on disk. */
    record Fresh() implements Accepted {}

    /** Its key has a call already. */
    record Known(String call) implements Accepted {}

    /** Its key was used for another request. */
    record OtherRequest() implements Accepted {}

    /** Calls that run and dead letters leave no room for it. */
    record Full() implements Accepted {}
  }

  /** Keeps a request before its call begins, until {@code until}; leased to this instance. */
  CompletionStage<Accepted> accept(String call, Request request, Instant now, Instant until);

  /**
   * The call has ended: well where {@code verdict} is null, else it is a dead letter now. False
   * where this instance does not hold it any more.
   */
  CompletionStage<Boolean> ended(
      String call, @Nullable String verdict, @Nullable StoredAnswer answer, Instant now);

  /** The call of that id: one, or none. */
  CompletionStage<List<Kept>> find(String call);

  /** Dead letters, the newest first, those redriven and discarded too. */
  CompletionStage<List<Kept>> deadLetters(DeadLetterQuery query);

  /**
   * Which dead letters to list. A filter that is null lets all through.
   *
   * @param limit at most so many
   * @param before only those that come after this place in the list, which is ordered by the time
   *     of acceptance and then by id
   * @param from only those accepted at this time or later
   * @param to only those accepted before this time
   */
  record DeadLetterQuery(
      int limit,
      CallRun.@Nullable Place before,
      @Nullable Status stand,
      @Nullable String client,
      @Nullable Instant from,
      @Nullable Instant to) {
    /** The newest, whatever became of them. */
    public static DeadLetterQuery newest(int limit) {
      return new DeadLetterQuery(limit, null, null, null, null, null);
    }
  }

  /**
   * Makes of a dead letter a call to be made, at most once.
   *
   * @param as the id of that call, which is accepted with the same request
   * @return what is redriven, or nothing where it is no dead letter any more
   */
  CompletionStage<List<Kept>> redrive(String call, String as, Instant now, Instant until);

  /** Nothing is to be done about a dead letter; false where it is none any more. */
  CompletionStage<Boolean> discard(String call);

  /**
   * A call that its instance accepted and did not end.
   *
   * @param bytes of its request's body
   */
  record Unfinished(String call, boolean async, long bytes) {}

  /**
   * Leases to this instance the calls that instances which died have left, the oldest first.
   *
   * @param limit how many at most; ask again while there are as many
   */
  CompletionStage<List<Unfinished>> adopt(int limit);

  /**
   * Leaves a call to be adopted, by this instance or another one. False where this instance does
   * not hold it any more.
   */
  CompletionStage<Boolean> giveBack(String call);

  /**
   * Registers {@code listener}, which the store calls while there is something to {@link #adopt};
   * it must not block.
   */
  void onLeftBehind(Runnable listener);
}
