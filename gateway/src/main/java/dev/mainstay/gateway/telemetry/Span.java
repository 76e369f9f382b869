package dev.mainstay.gateway.telemetry;

import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A finished span.
 *
 * @param place its trace and its own id
 * @param parent the id of the span it belongs under, or null
 * @param state the trace's {@code tracestate}, or null
 * @param said its attributes, its event and its error
 */
record Span(
    TraceParent place,
    @Nullable String parent,
    @Nullable String state,
    String name,
    Kind kind,
    Instant start,
    Instant end,
    Said said) {

  /**
   * What a span says.
   *
   * @param attributes texts, longs, doubles and booleans by name
   * @param event what was decided at its end, or null
   * @param error what went wrong, as {@code CLASS/kind}; null where nothing did
   */
  record Said(Map<String, Object> attributes, @Nullable Event event, @Nullable String error) {}

  /** Something that happened at one moment of a span. */
  record Event(Instant at, String name, Map<String, Object> attributes) {
    /** As {@code opentelemetry.proto.trace.v1.Span.Event}. */
    private Proto proto() {
      var event = new Proto().fixed64(1, nanos(at)).text(2, name);
      attributes.forEach((key, value) -> event.message(3, attribute(key, value)));
      return event;
    }
  }

  /** Numbered as in {@code trace.proto}. */
  enum Kind {
    SERVER(2),
    CLIENT(3);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  private static final int STATUS_ERROR = 2;

  /** As {@code opentelemetry.proto.trace.v1.Span}. */
  Proto proto() {
    var hex = HexFormat.of();
    var span = new Proto();
    span.bytes(1, hex.parseHex(place.trace())).bytes(2, hex.parseHex(place.span()));
    if (state != null) {
      span.text(3, state);
    }
    if (parent != null) {
      span.bytes(4, hex.parseHex(parent));
    }
    span.text(5, name).number(6, kind.number).fixed64(7, nanos(start)).fixed64(8, nanos(end));
    said.attributes().forEach((key, value) -> span.message(9, attribute(key, value)));
    if (said.event() != null) {
      span.message(11, said.event().proto());
    }
    if (said.error() != null) {
      span.message(15, new Proto().text(2, said.error()).number(3, STATUS_ERROR));
    }
    return span.fixed32(16, place.sampled() ? 1 : 0);
  }

  private static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000 + time.getNano();
  }

  /** As {@code opentelemetry.proto.common.v1.KeyValue}. */
  static Proto attribute(String key, Object value) {
    var any = new Proto();
    switch (value) {
      case Boolean flag -> any.number(2, flag ? 1 : 0);
      case Long number -> any.number(3, number);
      case Double number -> any.fixed64(4, Double.doubleToRawLongBits(number));
      default -> any.text(1, value.toString());
    }
    return new Proto().text(1, key).message(2, any);
  }
}
