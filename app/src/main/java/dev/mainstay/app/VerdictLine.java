package dev.mainstay.app;

import dev.mainstay.core.verdict.Verdict;
import java.io.OutputStream;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Writes verdicts, and the answers to bad lines, as JSON Lines. Not thread-safe. */
final class VerdictLine implements AutoCloseable {
  private final JsonGenerator json;
  private final boolean explain;

  VerdictLine(OutputStream out, boolean explain) {
    var factory =
        JsonFactory.builder()
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .rootValueSeparator("")
            .build();
    this.json = factory.createGenerator(out);
    this.explain = explain;
  }

  void verdict(@Nullable String id, Verdict verdict) {
    json.writeStartObject();
    id(id);
    json.writeStringProperty("class", verdict.failureClass().name());
    json.writeStringProperty("kind", verdict.kind().wireName());
    json.writeStringProperty("blame", verdict.blame().wireName());
    json.writeBooleanProperty("retry_same", verdict.retrySame());
    var wait = verdict.retryAfter();
    json.writeName("retry_after_s");
    if (wait == null) {
      json.writeNull();
    } else {
      json.writeRawValue(seconds(wait.getSeconds(), wait.getNano()));
    }
    json.writeBooleanProperty("fallback", verdict.fallback());
    var repair = verdict.repair();
    json.writeName("repair");
    if (repair == null) {
      json.writeNull();
    } else {
      json.writeString(repair.wireName());
    }
    json.writeBooleanProperty("alert", verdict.alert());
    if (explain) {
      json.writeStringProperty("rule", verdict.rule());
      json.writeStringProperty("because", verdict.because());
    }
    json.writeEndObject();
    json.writeRaw('\n');
  }

  void badLine(@Nullable String id, long line, String problem) {
    json.writeStartObject();
    id(id);
    json.writeNumberProperty("line", line);
    json.writeStringProperty("error", problem);
    json.writeEndObject();
    json.writeRaw('\n');
  }

  private void id(@Nullable String id) {
    json.writeName("id");
    if (id == null) {
      json.writeNull();
    } else {
      json.writeRawValue(id);
    }
  }

  private static String seconds(long seconds, int nanos) {
    return nanos == 0
        ? Long.toString(seconds)
        : BigDecimal.valueOf(seconds)
            .add(BigDecimal.valueOf(nanos, 9))
            .stripTrailingZeros()
            .toPlainString();
  }

  void flush() {
    json.flush();
  }

  @Override
  public void close() {
    json.close();
  }
}
