package dev.mainstay.engine.idempotency;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import dev.mainstay.http.MemoryBudget.Reservation;
import dev.mainstay.ledger.state.StoredAnswer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of one call, kept from its beginning while it is being made, so that any number of
 * exchanges can read it whole, each at its own pace and on its own loop. It lives on when its
 * readers leave: for a grace period, in which another may join, or until its call has ended.
 *
 * <p>The call writes on {@link #loop}; everything else may be called from any thread.
 *
 * <p>Memory: while its reservation grows, all of it is kept and the call goes as fast as the
 * fastest reader; beyond that what all readers have taken is let go, and the call goes as fast as
 * the slowest.
 */
public final class SharedAnswer implements Recipient {
  /** What a reader may be behind before it counts as slow: what an exchange holds by itself. */
  private static final int BEHIND = 64 << 10;

  /** Bytes of a piece beside its own: the record, its array, its place in the list. */
  private static final int PIECE = 64;

  private final String call;
  private final Loop loop;
  private final @Nullable Duration grace;
  private final Reservation memory;
  private final @Nullable EventIds ids;

  // All guarded by this.
  private final List<AnswerPiece> pieces = new ArrayList<>();
  private final List<AnswerReader> readers = new ArrayList<>(2);

  /** Pieces let go of at the front. */
  private int dropped;

  private long written;
  private boolean tooLong;
  private boolean over;
  private boolean claimed;

  /** The last reader left before it had everything, and none has come since. */
  private boolean lost;

  private boolean starved;

  // Of the loop's alone.
  private @Nullable Runnable onWritable;
  private @Nullable Runnable onGone;
  private @Nullable Cancellable leaving;
  private @Nullable String degraded;
  private boolean gone;

  /**
   * @param grace how long the call goes on without readers; null: until its end
   * @param withIds whether events of a stream get {@code id:} lines, so that it can be taken up
   *     again
   */
  private SharedAnswer(
      String call, Loop loop, @Nullable Duration grace, boolean withIds, Reservation memory) {
    this.call = call;
    this.loop = loop;
    this.grace = grace;
    this.memory = memory;
    ids = withIds ? new EventIds() : null;
  }

  /** One that others can join. */
  static SharedAnswer joinable(
      String call, Loop loop, @Nullable Duration grace, boolean withIds, Reservation memory) {
    return new SharedAnswer(call, loop, grace, withIds, memory);
  }

  /** One for its first reader alone, who may leave without ending the call. */
  static SharedAnswer finishing(String call, Loop loop, Reservation memory) {
    var answer = new SharedAnswer(call, loop, null, false, memory);
    answer.tooLong = true;
    return answer;
  }

  /** The id of the call that makes it. */
  public String call() {
    return call;
  }

  // ---- those who read

  /**
   * Gives the answer to {@code to}, from its beginning; on the exchange's loop.
   *
   * @param lastEventId of the last event it has already, or null
   * @return false where the beginning is gone
   */
  public boolean join(Recipient to, @Nullable String lastEventId) {
    return join(to, lastEventId, false);
  }

  /**
   * Gives the answer to the one retry that may have it: unless another has claimed it that is still
   * there.
   *
   * @param onlyUnheard whether it must have lost its readers
   */
  boolean claim(Recipient to, boolean onlyUnheard) {
    synchronized (this) {
      if (claimed || (onlyUnheard && !lost)) {
        return false;
      }
      claimed = true;
    }
    return join(to, null, true);
  }

  /** Gives the answer to the exchange it was made for, before the call begins. */
  void read(Recipient to) {
    var reader = new AnswerReader(this, to, null);
    synchronized (this) {
      readers.add(reader);
    }
    reader.start();
  }

  private boolean join(Recipient to, @Nullable String lastEventId, boolean claiming) {
    var reader = new AnswerReader(this, to, EventSkip.after(lastEventId));
    synchronized (this) {
      if (tooLong) {
        if (claiming) {
          claimed = false;
        }
        return false;
      }
      readers.add(reader);
      lost = false;
    }
    loop.execute(this::stay);
    reader.start();
    return true;
  }

  /** A reader has left, or has everything. */
  void left(AnswerReader reader, boolean whole) {
    boolean last;
    boolean wake;
    synchronized (this) {
      readers.remove(reader);
      last = readers.isEmpty();
      if (last && !whole) {
        claimed = false;
        lost = true;
      }
      if (tooLong) {
        letGo();
      }
      wake = wakes();
    }
    if (wake) {
      loop.execute(this::wake);
    }
    if (last && !whole) {
      loop.execute(this::leave);
    }
  }

  /** The piece at {@code index}, or null where there is none yet. */
  synchronized @Nullable AnswerPiece piece(int index) {
    int at = index - dropped;
    return at < pieces.size() ? pieces.get(at) : null;
  }

  /** A reader has taken more. */
  void progressed() {
    boolean wake;
    synchronized (this) {
      if (tooLong) {
        letGo();
      }
      wake = wakes();
    }
    if (wake) {
      loop.execute(this::wake);
    }
  }

  /** Whether the call waits for room and there is some again; says so once. */
  private boolean wakes() {
    boolean wake = starved && roomy();
    starved &= !wake;
    return wake;
  }

  private void wake() {
    if (onWritable != null) {
      onWritable.run();
    }
  }

  /** Whether its last reader left before it had everything. */
  synchronized boolean unheard() {
    return lost;
  }

  /** Lets go of what it holds; those who still read it have their own hold of it. */
  public synchronized void close() {
    memory.close();
  }

  /** What is to be given again, or null where it is not all there. */
  public synchronized @Nullable StoredAnswer stored() {
    if (tooLong || !over) {
      return null;
    }
    return AnswerPiece.joined(call, pieces, written);
  }

  // ---- the call

  @Override
  public Loop loop() {
    return loop;
  }

  /** Names a promise that does not hold for this answer, before the call begins; in its headers. */
  public void degraded(String name) {
    degraded = name;
  }

  private void degrade(HttpHeaders headers) {
    if (degraded != null) {
      var others = headers.get("x-mainstay-degraded");
      headers.set("x-mainstay-degraded", others == null ? degraded : others + "," + degraded);
    }
  }

  @Override
  public void respond(int status, HttpHeaders headers, ByteBuf body) {
    degrade(headers);
    byte[] bytes = taken(body);
    add(new AnswerPiece.Whole(status, headers, bytes), true);
  }

  @Override
  public void begin(int status, HttpHeaders headers) {
    degrade(headers);
    add(new AnswerPiece.Head(status, headers), false);
  }

  @Override
  public void write(ByteBuf data) {
    byte[] bytes = taken(data);
    add(new AnswerPiece.Data(ids == null ? bytes : ids.added(bytes)), false);
  }

  @Override
  public void end() {
    if (ids != null) {
      add(new AnswerPiece.Data(ids.rest()), false);
    }
    add(new AnswerPiece.End(), true);
  }

  /** An answer that was given before; a stream has its ids already, where it had any. */
  public void again(int status, HttpHeaders headers, boolean stream, ByteBuf body) {
    if (!stream) {
      respond(status, headers, body);
      return;
    }
    begin(status, headers);
    add(new AnswerPiece.Data(taken(body)), false);
    add(new AnswerPiece.End(), true);
  }

  private static byte[] taken(ByteBuf buffer) {
    try {
      // A whole answer is one array, given away by who wrapped it: only parts of others are copied.
      return ByteBufUtil.getBytes(buffer, buffer.readerIndex(), buffer.readableBytes(), false);
    } finally {
      buffer.release();
    }
  }

  private void add(AnswerPiece piece, boolean last) {
    List<AnswerReader> told;
    synchronized (this) {
      if (over) {
        // An error that comes after the end: the answer is what it is.
        return;
      }
      if (!tooLong && !memory.grow(PIECE + piece.size())) {
        tooLong = true;
        memory.close();
      }
      pieces.add(piece);
      written += piece.size();
      over = last;
      told = List.copyOf(readers);
      if (tooLong && told.isEmpty()) {
        letGo();
      }
    }
    told.forEach(AnswerReader::more);
  }

  /** Drops what every reader has taken. */
  private void letGo() {
    int least = dropped + pieces.size();
    for (var reader : readers) {
      least = Math.min(least, reader.taken());
    }
    if (least > dropped) {
      pieces.subList(0, least - dropped).clear();
      dropped = least;
    }
  }

  @Override
  public boolean writable() {
    synchronized (this) {
      boolean roomy = roomy();
      starved = !roomy;
      return roomy;
    }
  }

  private boolean roomy() {
    if (readers.isEmpty()) {
      return true;
    }
    boolean any = false;
    boolean all = true;
    for (var reader : readers) {
      boolean near = written - reader.takenBytes() < BEHIND;
      any |= near;
      all &= near;
    }
    return tooLong ? all : any;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = callback;
  }

  @Override
  public void onGone(Runnable callback) {
    onGone = callback;
    if (gone) {
      callback.run();
    }
  }

  // ---- staying and leaving, on the loop

  private void stay() {
    if (leaving != null && !unheard()) {
      leaving.cancel();
      leaving = null;
    }
  }

  private void leave() {
    if (leaving == null && !gone && grace != null && unheard()) {
      leaving = loop.schedule(grace, this::forgotten);
    }
  }

  private void forgotten() {
    leaving = null;
    if (unheard() && !over()) {
      gone = true;
      if (onGone != null) {
        onGone.run();
      }
    }
  }

  private synchronized boolean over() {
    return over;
  }
}
