package dev.mainstay.wire.money;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Reads the tables that ship: tab-separated lines of model, above, from, input, cached input, cache
 * write, output and source for tokens; of model, unit, from, price and source for fees. {@code -}
 * is an unknown price, {@code #} begins a comment, and the first line names the day the tables were
 * looked up.
 */
final class PriceTable {
  private static final Unit[] COLUMNS = {
    Unit.INPUT, Unit.CACHED_INPUT, Unit.CACHE_WRITE, Unit.OUTPUT
  };
  private static final int FIRST_PRICE = 3;
  private static final int WIDTH = FIRST_PRICE + COLUMNS.length + 1;
  private static final int FEE_WIDTH = 5;

  private PriceTable() {}

  static Prices load(String tokens, String fees) {
    return parse(read(tokens), read(fees));
  }

  private static String read(String resource) {
    try (var in = PriceTable.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the price table is missing: " + resource);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Prices parse(String tokens, String fees) {
    var version = tokens.lines().findFirst().orElse("").replace("# version", "").strip();
    var rows = new ArrayList<PriceRow>();
    lines("price table", tokens, rows, PriceTable::row);
    lines("table of fees", fees, rows, line -> List.of(fee(line)));
    return Prices.of(version, rows);
  }

  private static void lines(
      String table, String text, List<PriceRow> rows, Function<String, List<PriceRow>> read) {
    var lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      var line = lines.get(i).strip();
      if (!line.isEmpty() && line.charAt(0) != '#') {
        try {
          rows.addAll(read.apply(line));
        } catch (RuntimeException e) {
          throw new IllegalArgumentException(
              "%s, line %d: %s".formatted(table, i + 1, e.getMessage()), e);
        }
      }
    }
  }

  private static PriceRow fee(String line) {
    var cells = cells(line, FEE_WIDTH);
    var unit = Unit.valueOf(cells[1].toUpperCase(Locale.ROOT).replace('-', '_'));
    if (!unit.isFee()) {
      throw new IllegalArgumentException(cells[1] + " counts tokens");
    }
    return new PriceRow(
        cells[0], unit, new BigDecimal(cells[3]), LocalDate.parse(cells[2]), 0, cells[4]);
  }

  private static String[] cells(String line, int width) {
    var cells = line.split("\t+");
    if (cells.length != width) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%d columns, not %d", cells.length, width));
    }
    return cells;
  }

  private static List<PriceRow> row(String line) {
    var cells = cells(line, WIDTH);
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
