package dev.mainstay.gateway.health;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/**
 * All series of one name, in Prometheus' text format. Beyond {@link #MOST_SERIES} series the others
 * count as one, whose labels all say {@code other}; a label's value is cut at {@link #LONGEST}
 * characters. Thread-safe.
 */
public final class MetricFamily {
  /** Series of one name: those of some 500 targets, and few enough to be scraped. */
  public static final int MOST_SERIES = 2000;

  /** Those of a histogram, which has a line for each of its bounds. */
  static final int MOST_HISTOGRAMS = 500;

  /** Characters of a label's value. */
  static final int LONGEST = 256;

  private static final String OTHER = "other";

  private final String name;
  private final String type;
  private final String help;
  private final double[] bounds;
  private final ConcurrentHashMap<Labels, Series> series = new ConcurrentHashMap<>();

  private MetricFamily(String name, String type, String help, double[] bounds) {
    this.name = name;
    this.type = type;
    this.help = help;
    this.bounds = bounds;
  }

  public static MetricFamily counter(String name, String help) {
    return new MetricFamily(name + "_total", "counter", help, new double[0]);
  }

  static MetricFamily gauge(String name, String help) {
    return new MetricFamily(name, "gauge", help, new double[0]);
  }

  static MetricFamily histogram(String name, String help, double[] bounds) {
    return new MetricFamily(name, "histogram", help, bounds);
  }

  /** Adds to the series of these labels, names and values in turn; 0 makes none. */
  public void add(long count, String... labels) {
    if (count != 0 || type.equals("gauge")) {
      of(labels).buckets[0].add(count);
    }
  }

  void observe(double value, String... labels) {
    of(labels).observe(value, bounds);
  }

  private Series of(String... labels) {
    var key = new Labels(labels);
    var known = series.get(key);
    return known != null
        ? known
        : series.computeIfAbsent(bounded(labels), all -> new Series(bounds.length + 1));
  }

  private Labels bounded(String[] labels) {
    boolean full = series.size() >= (bounds.length == 0 ? MOST_SERIES : MOST_HISTOGRAMS);
    for (int i = 1; i < labels.length; i += 2) {
      if (full) {
        labels[i] = OTHER;
      } else if (labels[i].length() > LONGEST) {
        labels[i] = labels[i].substring(0, LONGEST);
      }
    }
    return new Labels(labels);
  }

  /** A family of one series without labels. */
  static void one(StringBuilder out, String name, String type, String help, long value) {
    head(out, name, type, help);
    out.append(name).append(' ').append(value).append('\n');
  }

  private static void head(StringBuilder out, String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  public void append(StringBuilder out) {
    if (series.isEmpty()) {
      return;
    }
    head(out, name, type, help);
    series.entrySet().stream()
        .map(each -> Map.entry(each.getKey().text(), each.getValue()))
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            each -> {
              if (bounds.length == 0) {
                out.append(name).append('{').append(each.getKey()).append("} ");
                out.append(each.getValue().buckets[0].sum()).append('\n');
              } else {
                each.getValue().append(out, name, each.getKey(), bounds);
              }
            });
  }

  /**
   * Names and values in turn. They become text when somebody asks for it: a call is counted in a
   * dozen series, and to write out their labels each time cost more than the counting.
   */
  private static final class Labels {
    private final String[] namesAndValues;
    private final int hash;

    Labels(String[] namesAndValues) {
      this.namesAndValues = namesAndValues;
      int all = 0;
      for (int i = 1; i < namesAndValues.length; i += 2) {
        all = all * 31 + namesAndValues[i].hashCode();
      }
      hash = all;
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Labels labels
          && hash == labels.hash
          && Arrays.equals(namesAndValues, labels.namesAndValues);
    }

    String text() {
      var text = new StringBuilder(96);
      for (int i = 0; i < namesAndValues.length; i += 2) {
        text.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
        escape(text, namesAndValues[i + 1]);
        text.append('"');
      }
      return text.toString();
    }

    private static void escape(StringBuilder out, String value) {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        switch (c) {
          case '\\' -> out.append("\\\\");
          case '"' -> out.append("\\\"");
          case '\n' -> out.append("\\n");
          default -> out.append(c);
        }
      }
    }
  }

  /** One series: a count, or one a bucket with their sum. */
  private static final class Series {
    private final LongAdder[] buckets;
    private final DoubleAdder sum = new DoubleAdder();

    Series(int count) {
      buckets = new LongAdder[count];
      for (int i = 0; i < count; i++) {
        buckets[i] = new LongAdder();
      }
    }

    void observe(double value, double[] bounds) {
      int i = 0;
      while (i < bounds.length && value > bounds[i]) {
        i++;
      }
      buckets[i].increment();
      sum.add(value);
    }

    public void append(StringBuilder out, String name, String labels, double[] bounds) {
      long total = 0;
      for (int i = 0; i < buckets.length; i++) {
        total += buckets[i].sum();
        out.append(name).append("_bucket{").append(labels).append(",le=\"");
        out.append(i < bounds.length ? bound(bounds[i]) : "+Inf");
        out.append("\"} ").append(total).append('\n');
      }
      out.append(name).append("_sum{").append(labels).append("} ").append(sum.sum()).append('\n');
      out.append(name).append("_count{").append(labels).append("} ").append(total).append('\n');
    }

    private static String bound(double value) {
      return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
  }
}
