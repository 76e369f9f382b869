package dev.mainstay.app.export;

import static org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit.MICROS;
import static org.apache.parquet.schema.LogicalTypeAnnotation.stringType;
import static org.apache.parquet.schema.LogicalTypeAnnotation.timestampType;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.DelegatingPositionOutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Writes rows as Parquet: each column optional, in dictionaries and runs, without a codec. */
final class ParquetRows implements RowWriter {
  /** Bytes of rows that are held until they are written as a group. */
  private static final long GROUP_BYTES = 16L << 20;

  private final Exported what;
  private final ParquetWriter<JsonNode> writer;

  ParquetRows(OutputStream out, Exported what, List<Column> columns) throws IOException {
    this.what = what;
    writer =
        new Builder(new Output(out), new Support(what, columns))
            .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
            .withRowGroupSize(GROUP_BYTES)
            // Rows with bodies are of any size: a group's bytes are looked at after each few.
            .withMinRowCountForPageSizeCheck(1)
            .withMaxRowCountForPageSizeCheck(100)
            .build();
  }

  @Override
  public void write(JsonNode row) throws IOException {
    for (var each : what.tableRows(row)) {
      writer.write(each);
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  private static final class Builder extends ParquetWriter.Builder<JsonNode, Builder> {
    private final Support support;

    Builder(OutputFile file, Support support) {
      super(file);
      this.support = support;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    protected WriteSupport<JsonNode> getWriteSupport(Configuration configuration) {
      return support;
    }
  }

  private static final class Support extends WriteSupport<JsonNode> {
    private final MessageType schema;
    private final List<Column> columns;
    private @Nullable RecordConsumer consumer;

    Support(Exported what, List<Column> columns) {
      this.columns = columns;
      var message = Types.buildMessage();
      for (var column : columns) {
        message.addField(type(column));
      }
      schema = message.named(what.wireName());
    }

    private static Type type(Column column) {
      var type =
          switch (column.type()) {
            case TEXT -> Types.optional(PrimitiveTypeName.BINARY).as(stringType());
            case INTEGER -> Types.optional(PrimitiveTypeName.INT64);
            case NUMBER -> Types.optional(PrimitiveTypeName.DOUBLE);
            case BOOLEAN -> Types.optional(PrimitiveTypeName.BOOLEAN);
            case TIME -> Types.optional(PrimitiveTypeName.INT64).as(timestampType(true, MICROS));
          };
      return type.named(column.name());
    }

    @Override
    public WriteContext init(Configuration configuration) {
      return new WriteContext(schema, Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer to) {
      consumer = to;
    }

    @Override
    public void write(JsonNode row) {
      var to = Objects.requireNonNull(consumer, "prepareForWrite comes first");
      to.startMessage();
      for (int i = 0; i < columns.size(); i++) {
        var column = columns.get(i);
        var value = column.in(row);
        if (!value.isMissingNode() && !value.isNull()) {
          to.startField(column.name(), i);
          add(to, column, value);
          to.endField(column.name(), i);
        }
      }
      to.endMessage();
    }

    private static void add(RecordConsumer to, Column column, JsonNode value) {
      switch (column.type()) {
        case TEXT -> to.addBinary(Binary.fromString(Column.text(value)));
        case INTEGER -> to.addLong(value.asLong());
        case NUMBER -> to.addDouble(value.asDouble());
        case BOOLEAN -> to.addBoolean(value.asBoolean());
        case TIME ->
            to.addLong(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(value.asString())));
      }
    }
  }

  /** The file, as Parquet wants one: it asks where it is. */
  private record Output(OutputStream to) implements OutputFile {
    @Override
    public PositionOutputStream create(long blockSizeHint) {
      return new DelegatingPositionOutputStream(to) {
        private long position;

        @Override
        public long getPos() {
          return position;
        }

        @Override
        public void write(int b) throws IOException {
          super.write(b);
          position++;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
          super.write(bytes);
          position += bytes.length;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          super.write(bytes, offset, length);
          position += length;
        }
      };
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
      return create(blockSizeHint);
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }
  }
}
