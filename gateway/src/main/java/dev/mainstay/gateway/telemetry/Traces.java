package dev.mainstay.gateway.telemetry;

import dev.mainstay.engine.CallTracing;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The trace of each call: taken over from the client's {@code traceparent}, or begun here; passed
 * on to the provider; and sent to an OpenTelemetry collector where the usual variables name one.
 * Thread-safe; never blocks.
 */
public final class Traces implements CallTracing, AutoCloseable {
  /** A longer {@code tracestate} need not be passed on; the standard asks for 512 characters. */
  private static final int MOST_STATE = 512;

  private final @Nullable Exporter exporter;
  private final SpanWriter writer;
  private final ConcurrentHashMap<String, Context> running = new ConcurrentHashMap<>();

  private Traces(@Nullable Exporter exporter, SpanWriter writer) {
    this.exporter = exporter;
    this.writer = writer;
  }

  /**
   * Who a provider is.
   *
   * @param provider its name in the conventions, for example {@code openai}
   */
  public record Origin(String provider, String address, int port) {}

  /**
   * Where a call stands in its trace.
   *
   * @param place the call's own span
   * @param parent the client's span, or null
   * @param state the client's {@code tracestate}, or null
   */
  record Context(TraceParent place, @Nullable String parent, @Nullable String state) {
    /** The span of an attempt: told by its call's and its number, so that nobody has to keep it. */
    TraceParent under(int attempt) {
      long id = HexFormat.fromHexDigitsToLong(place.span()) + attempt * 0x9E3779B97F4A7C15L;
      return new TraceParent(place.trace(), digits(id == 0 ? 1 : id), place.sampled());
    }
  }

  /**
   * As the environment says: {@code OTEL_EXPORTER_OTLP_TRACES_ENDPOINT} or {@code
   * OTEL_EXPORTER_OTLP_ENDPOINT}, and what goes with them.
   *
   * @param origins who a provider of the configuration is, by its name
   * @throws IllegalArgumentException where the endpoint is no http URL
   */
  public static Traces of(
      Map<String, String> environment, Function<String, @Nullable Origin> origins) {
    var settings = OtlpSettings.of(environment);
    return new Traces(settings == null ? null : new Exporter(settings), new SpanWriter(origins));
  }

  /**
   * A call begins.
   *
   * @param headers the client's that go on to the provider, by lower-case name
   */
  @Override
  public PropagatedHeaders begin(String call, Map<String, String> headers) {
    var toProvider = new HashMap<>(headers);
    var parent = TraceParent.read(toProvider.remove("traceparent"));
    var state = toProvider.remove("tracestate");
    if (parent != null && state != null && !state.isEmpty() && state.length() <= MOST_STATE) {
      toProvider.put("tracestate", state);
    } else {
      state = null;
    }
    if (exporter == null) {
      // We are no part of this trace, and not in its way.
      if (parent != null) {
        toProvider.put("traceparent", parent.header());
      }
      return new PropagatedHeaders(toProvider, null);
    }
    var place =
        new TraceParent(
            parent == null ? digits(random()) + digits(random()) : parent.trace(),
            digits(random()),
            parent == null || parent.sampled());
    var context = new Context(place, parent == null ? null : parent.span(), state);
    running.put(call, context);
    return new PropagatedHeaders(toProvider, number -> context.under(number).header());
  }

  /** A call that was begun is not carried out. */
  @Override
  public void forget(String call) {
    running.remove(call);
  }

  /** A call has ended; its spans leave later, on another thread. */
  public void ended(CallRecord call, List<AttemptRecord> attempts) {
    var to = exporter;
    if (to == null) {
      return;
    }
    var known = running.remove(call.id());
    var context =
        known != null
            ? known
            : new Context(
                new TraceParent(digits(random()) + digits(random()), digits(random()), true),
                null,
                null);
    if (context.place().sampled()) {
      to.add(() -> writer.spans(context, call, attempts));
    }
  }

  /** Spans that could not be sent, or for which there was no room. */
  public long dropped() {
    return exporter == null ? 0 : exporter.dropped();
  }

  private static long random() {
    long value = ThreadLocalRandom.current().nextLong();
    return value == 0 ? 1 : value;
  }

  private static String digits(long value) {
    return HexFormat.of().toHexDigits(value);
  }

  /** Sends what waits, for a few seconds at most. */
  @Override
  public void close() {
    if (exporter != null) {
      exporter.close();
    }
  }
}
