package dev.mainstay.bench.proxy;

/**
 * Counts times in buckets of at most 1.6 % width from 1 µs to an hour, as HdrHistogram does. For
 * one thread.
 */
final class Latencies {
  private static final int PER_OCTAVE = 64;
  private static final int OCTAVES = 32;

  private final long[] buckets = new long[PER_OCTAVE * OCTAVES];
  private long count;

  void add(long nanos) {
    long micros = Math.max(1, nanos / 100);
    int octave = 63 - Long.numberOfLeadingZeros(micros);
    int within =
        octave < 6 ? (int) (micros << (6 - octave)) & 63 : (int) (micros >>> (octave - 6)) & 63;
    buckets[Math.min(buckets.length - 1, octave * PER_OCTAVE + within)]++;
    count++;
  }

  long count() {
    return count;
  }

  /**
   * The time in microseconds that {@code share} of all stayed within; NaN where there were none.
   */
  double micros(double share) {
    if (count == 0) {
      return Double.NaN;
    }
    long rank = (long) Math.ceil(share * count);
    long seen = 0;
    for (int i = 0; i < buckets.length; i++) {
      seen += buckets[i];
      if (seen >= rank) {
        int octave = i / PER_OCTAVE;
        return (1L << octave) * (1 + (i % PER_OCTAVE + 0.5) / PER_OCTAVE) / 10.0;
      }
    }
    throw new IllegalStateException("a rank beyond the count");
  }
}
