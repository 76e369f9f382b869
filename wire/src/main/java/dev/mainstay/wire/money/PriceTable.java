package dev.mainstay.wire.money;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads the table that ships: tab-separated lines of model, above, from, input, cached input, cache
 * write, output and source. {@code -} is an unknown price, {@code #} begins a comment, and the
 * first line names the day the table was looked up.
 */
final class PriceTable {
  private static final Unit[] COLUMNS = {
    Unit.INPUT, Unit.CACHED_INPUT, Unit.CACHE_WRITE, Unit.OUTPUT
  };
  private static final int FIRST_PRICE = 3;
  private static final int WIDTH = FIRST_PRICE + COLUMNS.length + 1;

  private PriceTable() {}

  static Prices load(String resource) {
    try (var in = PriceTable.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the price table is missing: " + resource);
      }
      return parse(new String(in.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Prices parse(String text) {
    var lines = text.lines().toList();
    var version = lines.getFirst().replace("# version", "").strip();
    var rows = new ArrayList<PriceRow>();
    for (int i = 1; i < lines.size(); i++) {
      var line = lines.get(i).strip();
      if (!line.isEmpty() && line.charAt(0) != '#') {
        try {
          rows.addAll(row(line));
        } catch (RuntimeException e) {
          throw new IllegalArgumentException(
              "price table, line %d: %s".formatted(i + 1, e.getMessage()), e);
        }
      }
    }
    return Prices.of(version, rows);
  }

  private static List<PriceRow> row(String line) {
    var cells = line.split("\t+");
    if (cells.length != WIDTH) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%d columns, not %d", cells.length, WIDTH));
    }
    var rows = new ArrayList<PriceRow>(COLUMNS.length);
    for (int i = 0; i < COLUMNS.length; i++) {
      var price = cells[FIRST_PRICE + i];
      if (!price.equals("-")) {
        rows.add(
            new PriceRow(
                cells[0],
                COLUMNS[i],
                new BigDecimal(price),
                LocalDate.parse(cells[2]),
                Long.parseLong(cells[1]),
                cells[WIDTH - 1]));
      }
    }
    return rows;
  }
}
