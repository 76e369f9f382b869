package dev.mainstay.app.export;

import dev.mainstay.gateway.admin.SpreadsheetText;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Writes rows to a file, one after the other; holds no more than a few MiB of them. */
interface RowWriter extends Closeable {
  void write(JsonNode row) throws IOException;

  /** The formats, by the ending of the file's name. */
  enum Format {
    /** A JSON object a line: the row as the API gives it. */
    JSONL {
      @Override
      RowWriter open(OutputStream out, Exported what, List<Column> columns) {
        return new JsonLines(buffered(out));
      }
    },
    /** RFC 4180 with a header, in UTF-8; safe to open in a spreadsheet. */
    CSV {
      @Override
      RowWriter open(OutputStream out, Exported what, List<Column> columns) throws IOException {
        var csv = new Csv(buffered(out), what, columns);
        csv.line(columns.stream().map(Column::name));
        return csv;
      }
    },
    PARQUET {
      @Override
      RowWriter open(OutputStream out, Exported what, List<Column> columns) throws IOException {
        return new ParquetRows(out, what, columns);
      }
    };

    abstract RowWriter open(OutputStream out, Exported what, List<Column> columns)
        throws IOException;

    private static Writer buffered(OutputStream out) {
      return new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    }
  }

  /** {@link Format#JSONL}. */
  record JsonLines(Writer out) implements RowWriter {
    @Override
    public void write(JsonNode row) throws IOException {
      out.append(row.toString()).append('\n');
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** {@link Format#CSV}. */
  record Csv(Writer out, Exported what, List<Column> columns) implements RowWriter {
    @Override
    public void write(JsonNode row) throws IOException {
      for (var each : what.tableRows(row)) {
        line(columns.stream().map(column -> cell(column.in(each))));
      }
    }

    private void line(Stream<String> cells) throws IOException {
      out.append(cells.collect(Collectors.joining(","))).append("\r\n");
    }

    private static String cell(JsonNode value) {
      if (value.isMissingNode() || value.isNull()) {
        return "";
      }
      var text = value.isString() ? SpreadsheetText.of(value.stringValue()) : Column.text(value);
      boolean plain =
          !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c < ' ');
      return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
