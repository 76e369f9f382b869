package dev.mainstay.ledger.stats;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How long many things took, in buckets that grow by 4 % each, so that a percentile is wrong by 2 %
 * at most (DDSketch: https://arxiv.org/abs/1908.10693). Two are merged by adding their counts.
 *
 * <p>A table of its own because one statistic of 30 days merges thousands of rows: HdrHistogram
 * allocates 16 KiB for each that it decodes, this one adds the 50 or so counts of a row in place.
 * For one thread.
 */
public final class LatencyHistogram {
  private static final double GROWTH = 1.04;
  private static final double LOG_GROWTH = Math.log(GROWTH);

  /** The last bucket ends beyond 100 minutes; what took longer counts there. */
  private static final int BUCKETS = 400;

  private long[] counts = new long[0];

  /** No bucket before it was counted in: what takes seconds leaves 150 of them empty. */
  private int first = BUCKETS;

  private long total;

  /** Where a length counts; under a millisecond it counts as one. */
  static int bucket(Duration length) {
    double millis = Math.max(1, length.toNanos() / 1e6);
    return Math.min(BUCKETS - 1, (int) Math.ceil(Math.log(millis) / LOG_GROWTH));
  }

  /** Counts so many in a bucket. */
  void add(int bucket, long count) {
    if (bucket >= counts.length) {
      counts = Arrays.copyOf(counts, Math.min(BUCKETS, bucket + 32));
    }
    counts[bucket] += count;
    first = Math.min(first, bucket);
    total += count;
  }

  /** Adds all counts of {@code other}. */
  public void merge(LatencyHistogram other) {
    for (int i = other.first; i < other.counts.length; i++) {
      if (other.counts[i] > 0) {
        add(i, other.counts[i]);
      }
    }
  }

  /** How many were counted. */
  public long count() {
    return total;
  }

  /**
   * The milliseconds within which a share of all was done.
   *
   * @param share 0 to 1, for example 0.95
   * @return null where nothing was counted
   */
  public @Nullable Long percentileMillis(double share) {
    long rank = Math.max(1, (long) Math.ceil(share * total));
    long seen = 0;
    for (int i = first; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.max(1, Math.round(2 * Math.pow(GROWTH, i) / (GROWTH + 1)));
      }
    }
    return null;
  }

  /**
   * Writes how many buckets are not empty, and of each its distance to the one before and count.
   */
  void write(ByteBuffer to) {
    Varints.write(to, Arrays.stream(counts).filter(count -> count > 0).count());
    int last = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        Varints.write(to, i - last);
        Varints.write(to, counts[i]);
        last = i;
      }
    }
  }

  /** The most bytes that {@link #write} takes. */
  int mostBytes() {
    return 2 + counts.length * (2 + Varints.MOST_BYTES);
  }

  /** Adds what {@link #write} wrote. */
  void read(ByteBuffer from) {
    int bucket = 0;
    for (long left = Varints.read(from); left > 0; left--) {
      bucket += (int) Varints.read(from);
      add(Math.min(bucket, BUCKETS - 1), Varints.read(from));
    }
  }
}
