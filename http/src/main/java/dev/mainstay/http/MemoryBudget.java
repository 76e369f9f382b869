package dev.mainstay.http;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One account of the bytes that this process holds for others: requests, answers, copies, caches,
 * output that clients have not taken. Whoever holds bytes reserves them here first.
 *
 * <p>Each {@link Use} may fill the budget up to a share of its own, so that uses give way in order:
 * caches first, which are also emptied for others; then new requests, which are refused; then
 * answers that are held back or remembered, which end or are forgotten. Output that is owed to
 * clients is counted and never refused; where it fills the budget, clients that take none of it are
 * cut off ({@link #onShortage}).
 *
 * <p>Thread-safe. A {@link Reservation} belongs to one thread at a time.
 */
public final class MemoryBudget {
  /** {@link #onShortage} is called at most so often. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What the process takes for itself: classes' data, rules, configuration. */
  private static final long OWN = 32L << 20;

  private static final MemoryBudget PROCESS = new MemoryBudget(standard());

  /** What bytes are held for, in the order in which it gives way. */
  public enum Use {
    /** What is only kept to save work: answers that may be joined, failures that may come again. */
    CACHE(25),
    /** Requests with their bodies, from their first byte on. */
    REQUEST(60),
    /** Answers held until they are whole or judged, and copies that a recovery would need. */
    ANSWER(85),
    /** Bytes for clients that have not taken them yet. */
    OUTPUT(100);

    private final int percent;

    Use(int percent) {
      this.percent = percent;
    }

    /** The name in metrics and health. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLongArray byUse = new AtomicLongArray(Use.values().length);
  private final AtomicLongArray refused = new AtomicLongArray(Use.values().length);
  private final AtomicLong shortAt = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
  private final List<LongUnaryOperator> caches = new CopyOnWriteArrayList<>();
  private final List<Runnable> onShortage = new CopyOnWriteArrayList<>();

  /**
   * @param limit in bytes, for all uses together
   */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  private static long standard() {
    long heap = Runtime.getRuntime().maxMemory();
    return Math.max(heap / 4, (heap - OWN) / 2);
  }

  /**
   * That of this process: half of what its largest heap leaves beside 32 MiB. The other half is for
   * the work itself.
   */
  public static MemoryBudget process() {
    return PROCESS;
  }

  /** Bytes for all uses together. */
  public long limit() {
    return limit;
  }

  /** Bytes up to which {@code use} may fill the budget. */
  public long limit(Use use) {
    return limit / 100 * use.percent;
  }

  /** Bytes reserved now. */
  public long used() {
    return used.get();
  }

  /** Bytes reserved now for {@code use}. */
  public long used(Use use) {
    return byUse.get(use.ordinal());
  }

  /** How often {@code use} was refused more. */
  public long refused(Use use) {
    return refused.get(use.ordinal());
  }

  /**
   * Adds a cache that gives way to other uses.
   *
   * @param evict frees at least so many bytes where it has them, and says how many it freed; called
   *     on any thread
   */
  public void addCache(LongUnaryOperator evict) {
    caches.add(evict);
  }

  /** Takes a cache out again. */
  public void removeCache(LongUnaryOperator evict) {
    caches.remove(evict);
  }

  /** Calls {@code shed} on any thread, at most once a second, while something is refused. */
  public void onShortage(Runnable shed) {
    onShortage.add(shed);
  }

  /** Calls {@code shed} no more. */
  public void removeOnShortage(Runnable shed) {
    onShortage.remove(shed);
  }

  /** Whether there is room for anything more of {@code use}. */
  public boolean hasRoom(Use use) {
    try (var one = reserve(use)) {
      return one.grow(1);
    }
  }

  /** An empty reservation, as large as the budget lets it grow. */
  public Reservation reserve(Use use) {
    return reserve(use, Long.MAX_VALUE);
  }

  /** An empty reservation of at most {@code most} bytes. */
  public Reservation reserve(Use use, long most) {
    return new Reservation(use, null, most);
  }

  private boolean take(Use use, long bytes) {
    if (fits(use, bytes)) {
      return true;
    }
    // A cache makes room for itself by an order of its own.
    long missing = use == Use.CACHE ? 0 : used.get() + bytes - limit(use);
    for (var cache : caches) {
      if (missing <= 0) {
        break;
      }
      missing -= cache.applyAsLong(missing);
    }
    if (fits(use, bytes)) {
      return true;
    }
    refused.incrementAndGet(use.ordinal());
    if (use != Use.CACHE) {
      shortage();
    }
    return false;
  }

  private boolean fits(Use use, long bytes) {
    if (used.addAndGet(bytes) <= limit(use)) {
      byUse.addAndGet(use.ordinal(), bytes);
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  private void shortage() {
    long now = System.nanoTime();
    long last = shortAt.get();
    if (now - last >= PAUSE_NANOS && shortAt.compareAndSet(last, now)) {
      onShortage.forEach(Runnable::run);
    }
  }

  private void add(Use use, long bytes) {
    used.addAndGet(bytes);
    byUse.addAndGet(use.ordinal(), bytes);
  }

  /** Bytes reserved by one holder. Closing it, as often as one likes, gives all of them back. */
  public final class Reservation implements AutoCloseable {
    private final Use use;
    private final @Nullable Reservation whole;
    private final long most;
    private long bytes;
    private boolean closed;

    private Reservation(Use use, @Nullable Reservation whole, long most) {
      this.use = use;
      this.whole = whole;
      this.most = most;
    }

    /** An empty part of this one, which closes with it at the latest. */
    public Reservation part() {
      return new Reservation(use, this, most);
    }

    /** Reserves {@code more} bytes; false, and nothing more, where there is no room. */
    public boolean grow(long more) {
      if (closed || exceeds(more)) {
        return false;
      }
      boolean taken = whole == null ? take(use, more) : whole.grow(more);
      if (taken) {
        bytes += more;
      }
      return taken;
    }

    /** Whether {@code more} bytes are more than this one may ever hold. */
    public boolean exceeds(long more) {
      return bytes > most - more || (whole != null && whole.exceeds(more));
    }

    /** Counts {@code to} bytes that are held already, room or not. */
    public void set(long to) {
      if (closed || to == bytes) {
        return;
      }
      if (whole == null) {
        add(use, to - bytes);
      } else {
        whole.set(whole.bytes + to - bytes);
      }
      bytes = to;
    }

    /** Grows or shrinks to {@code to} bytes; false, and no change, where there is no room. */
    public boolean resize(long to) {
      if (to > bytes) {
        return grow(to - bytes);
      }
      set(to);
      return true;
    }

    /** Bytes reserved. */
    public long bytes() {
      return bytes;
    }

    @Override
    public void close() {
      if (!closed) {
        // A part of one that is closed already has nothing left to give.
        if (whole != null && whole.closed) {
          bytes = 0;
        }
        set(0);
        closed = true;
      }
    }
  }
}
