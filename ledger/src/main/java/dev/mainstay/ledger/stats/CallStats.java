package dev.mainstay.ledger.stats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Tokens;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a number of calls came to. Two can be merged, whatever they count. For one thread. */
public final class CallStats {
  private static final byte VERSION = 1;

  /** What is counted. Written in this order: only ever add at the end. */
  public enum Counter {
    /** Calls that ended. */
    CALLS,
    /** Calls whose client got an answer. */
    DELIVERED,
    /** Calls that were delivered although an attempt failed. */
    RECOVERED,
    /** Calls that ended in an error. */
    FAILED,
    /** Upstream requests. */
    ATTEMPTS,
    /** Upstream requests that failed. */
    FAILED_ATTEMPTS,
    INPUT,
    CACHED_INPUT,
    CACHE_WRITE,
    OUTPUT,
    REASONING,
    /** Nano-dollars of the attempts whose price is known. */
    COST_NANOS,
    /** Attempts that used tokens at an unknown price. */
    UNPRICED
  }

  private static final Counter[] COUNTERS = Counter.values();

  private final long[] counts = new long[COUNTERS.length];
  private final Map<String, Long> failedCalls = new TreeMap<>();
  private final Map<String, Long> failedAttempts = new TreeMap<>();
  private final LatencyHistogram firstToken = new LatencyHistogram();
  private final LatencyHistogram total = new LatencyHistogram();

  public long get(Counter counter) {
    return counts[counter.ordinal()];
  }

  /** Calls that ended in an error, by the error's kind. */
  public Map<String, Long> failedCalls() {
    return failedCalls;
  }

  /** Attempts that failed, those that others made good included, by the failure's kind. */
  public Map<String, Long> failedAttempts() {
    return failedAttempts;
  }

  /** From the start of calls to their commit points. */
  public LatencyHistogram firstToken() {
    return firstToken;
  }

  /** From the start of calls to the ends of their answers. */
  public LatencyHistogram total() {
    return total;
  }

  /** Tokens of all attempts. */
  public Tokens tokens() {
    return new Tokens(
        get(Counter.INPUT),
        get(Counter.CACHED_INPUT),
        get(Counter.CACHE_WRITE),
        get(Counter.OUTPUT),
        get(Counter.REASONING),
        false);
  }

  /** Where the latencies of a call count: found once for all sums that it belongs to. */
  public static final class Latencies {
    private static final int NONE = -1;

    private final int firstToken;
    private final int total;

    /** Those of {@code call}. */
    public Latencies(CallRecord call) {
      firstToken = call.firstToken() == null ? NONE : LatencyHistogram.bucket(call.firstToken());
      total = LatencyHistogram.bucket(call.total());
    }
  }

  /** Counts a call, without its attempts. */
  public void add(CallRecord call, Latencies latencies) {
    add(Counter.CALLS, 1);
    var kind = kind(call.verdict());
    if (kind == null) {
      add(Counter.DELIVERED, 1);
      add(Counter.RECOVERED, call.recovery().isEmpty() ? 0 : 1);
    } else {
      add(Counter.FAILED, 1);
      failedCalls.merge(kind, 1L, Long::sum);
    }
    if (latencies.firstToken != Latencies.NONE) {
      firstToken.add(latencies.firstToken, 1);
    }
    total.add(latencies.total, 1);
  }

  /** Counts an attempt. */
  public void add(AttemptRecord attempt) {
    add(Counter.ATTEMPTS, 1);
    var kind = kind(attempt.verdict());
    if (kind != null) {
      add(Counter.FAILED_ATTEMPTS, 1);
      failedAttempts.merge(kind, 1L, Long::sum);
    }
    var tokens = attempt.tokens();
    if (tokens != null) {
      add(Counter.INPUT, tokens.input());
      add(Counter.CACHED_INPUT, tokens.cachedInput());
      add(Counter.CACHE_WRITE, tokens.cacheWrite());
      add(Counter.OUTPUT, tokens.output());
      add(Counter.REASONING, tokens.reasoning());
    }
    var cost = attempt.costNanos();
    if (cost != null) {
      add(Counter.COST_NANOS, cost);
    } else if (tokens != null) {
      add(Counter.UNPRICED, 1);
    }
  }

  private void add(Counter counter, long count) {
    counts[counter.ordinal()] += count;
  }

  /** The kind of {@code CLASS/kind}, or null of null. */
  public static @Nullable String kind(@Nullable String verdict) {
    return verdict == null ? null : verdict.substring(verdict.indexOf('/') + 1);
  }

  /** Adds all that {@code other} counted. */
  public void merge(CallStats other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    other.failedCalls.forEach((kind, count) -> failedCalls.merge(kind, count, Long::sum));
    other.failedAttempts.forEach((kind, count) -> failedAttempts.merge(kind, count, Long::sum));
    firstToken.merge(other.firstToken);
    total.merge(other.total);
  }

  /** These sums as bytes, for {@link #merge(byte[])}. */
  public byte[] bytes() {
    int names =
        failedCalls.keySet().stream().mapToInt(String::length).sum()
            + failedAttempts.keySet().stream().mapToInt(String::length).sum();
    int kinds = failedCalls.size() + failedAttempts.size();
    var to =
        ByteBuffer.allocate(
            1
                + Varints.MOST_BYTES * (3 + counts.length + 2 * kinds)
                + 3 * names
                + firstToken.mostBytes()
                + total.mostBytes());
    to.put(VERSION);
    Varints.write(to, counts.length);
    for (long count : counts) {
      Varints.write(to, count);
    }
    write(to, failedCalls);
    write(to, failedAttempts);
    firstToken.write(to);
    total.write(to);
    var bytes = new byte[to.position()];
    to.flip().get(bytes);
    return bytes;
  }

  private static void write(ByteBuffer to, Map<String, Long> byKind) {
    Varints.write(to, byKind.size());
    byKind.forEach(
        (kind, count) -> {
          var name = kind.getBytes(UTF_8);
          Varints.write(to, name.length);
          to.put(name);
          Varints.write(to, count);
        });
  }

  /** Adds what {@link #bytes} gave; empty bytes count nothing. */
  public void merge(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    var from = ByteBuffer.wrap(bytes);
    byte version = from.get();
    if (version != VERSION) {
      throw new IllegalArgumentException("sums of version " + version + " cannot be read");
    }
    int known = (int) Varints.read(from);
    for (int i = 0; i < known; i++) {
      counts[i] += Varints.read(from);
    }
    read(from, failedCalls);
    read(from, failedAttempts);
    firstToken.read(from);
    total.read(from);
  }

  private static void read(ByteBuffer from, Map<String, Long> byKind) {
    for (long left = Varints.read(from); left > 0; left--) {
      var name = new byte[(int) Varints.read(from)];
      from.get(name);
      byKind.merge(new String(name, UTF_8), Varints.read(from), Long::sum);
    }
  }
}
