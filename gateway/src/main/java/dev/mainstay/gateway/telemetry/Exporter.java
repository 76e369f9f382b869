package dev.mainstay.gateway.telemetry;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans by OTLP over HTTP, protobuf, as the specification's default. Written out here because
 * that is a queue, a thread and eighty lines of encoding, where OpenTelemetry's SDK with its
 * exporter is a dozen libraries that a gateway without a collector would carry too.
 *
 * <p>{@link #add} never blocks: beyond {@link #ROOM} calls spans are dropped and counted. What a
 * collector refuses for the moment is sent again, twice.
 */
final class Exporter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Exporter.class);

  /** Calls whose spans may wait; each holds what its record holds, about 1 KiB. */
  private static final int ROOM = 8192;

  /** Calls a request, as the SDKs' batch processor has it for spans. */
  private static final int BATCH = 512;

  /** How long a batch is gathered. */
  private static final Duration GATHER = Duration.ofSeconds(1);

  private static final Duration LAST_WORDS = Duration.ofSeconds(3);
  private static final int TRIES = 3;

  /** Statuses after which the same batch may be sent again, by the specification. */
  private static final Set<Integer> AGAIN = Set.of(429, 502, 503, 504);

  private final OtlpSettings settings;
  private final ArrayBlockingQueue<Supplier<List<Span>>> queue = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread;
  private volatile boolean closed;
  private boolean failing;

  Exporter(OtlpSettings settings) {
    this.settings = settings;
    thread = Thread.ofPlatform().daemon().name("mainstay-traces").start(this::run);
  }

  /**
   * @param spans made on the exporter's thread
   */
  void add(Supplier<List<Span>> spans) {
    if (closed || !queue.offer(spans)) {
      dropped.incrementAndGet();
    }
  }

  long dropped() {
    return dropped.get();
  }

  private void run() {
    try (var client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.timeout())
            .build()) {
      while (!closed || !queue.isEmpty()) {
        var batch = gather();
        if (!batch.isEmpty()) {
          send(client, batch);
        }
      }
    } catch (InterruptedException e) {
      dropped.addAndGet(queue.size());
    }
  }

  private List<Span> gather() throws InterruptedException {
    var spans = new ArrayList<Span>();
    long until = System.nanoTime() + GATHER.toNanos();
    int calls = 0;
    while (calls < BATCH) {
      long left = closed ? 0 : until - System.nanoTime();
      var next = queue.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
      if (next == null) {
        break;
      }
      try {
        spans.addAll(next.get());
      } catch (RuntimeException e) {
        // A bug of ours: this call's spans are lost, those of the next must not be.
        dropped.incrementAndGet();
        LOG.warn("Mainstay could not build the spans of a call", e);
      }
      calls++;
    }
    return spans;
  }

  private void send(HttpClient client, List<Span> spans) throws InterruptedException {
    try {
      tried(client, spans);
    } catch (RuntimeException e) {
      // A header that may not be sent, or a bug of ours: its text may hold the header's value.
      lost(spans, e.getClass().getSimpleName());
    } catch (InterruptedException e) {
      lost(spans, "Mainstay ends");
      throw e;
    }
  }

  private void lost(List<Span> spans, String trouble) {
    dropped.addAndGet(spans.stream().filter(s -> s.kind() == Span.Kind.SERVER).count());
    if (!failing) {
      failing = true;
      LOG.warn(
          "the collector at {} does not accept spans ({}); Mainstay drops them until it does",
          settings.endpoint().getHost(),
          trouble);
    }
  }

  private void tried(HttpClient client, List<Span> spans) throws InterruptedException {
    var request =
        HttpRequest.newBuilder(settings.endpoint())
            .timeout(settings.timeout())
            .header("content-type", "application/x-protobuf")
            .POST(HttpRequest.BodyPublishers.ofByteArray(encoded(spans)));
    settings.headers().forEach(request::setHeader);
    for (int attempt = 1; ; attempt++) {
      String trouble;
      boolean again;
      try {
        var answer = client.send(request.build(), BodyHandlers.ofInputStream());
        // The time limit ends with the head: whoever never ends a body would end the export.
        answer.body().close();
        int status = answer.statusCode();
        if (status / 100 == 2) {
          if (failing) {
            failing = false;
            LOG.info(
                "the collector accepts spans again; Mainstay dropped those of {} calls",
                dropped.get());
          }
          return;
        }
        trouble = "it answered " + status;
        again = AGAIN.contains(status);
      } catch (IOException e) {
        trouble = e.getClass().getSimpleName();
        again = true;
      }
      if (!again || attempt == TRIES || closed) {
        lost(spans, trouble);
        return;
      }
      TimeUnit.SECONDS.sleep(attempt);
    }
  }

  /** As {@code opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest}. */
  private byte[] encoded(List<Span> spans) {
    var resource = new Proto();
    settings.resource().forEach((name, value) -> resource.message(1, Span.attribute(name, value)));
    var scope = new Proto().message(1, new Proto().text(1, "mainstay"));
    spans.forEach(span -> scope.message(2, span.proto()));
    return new Proto().message(1, new Proto().message(1, resource).message(2, scope)).toBytes();
  }

  @Override
  public void close() {
    closed = true;
    try {
      if (!thread.join(LAST_WORDS)) {
        thread.interrupt();
        thread.join(LAST_WORDS);
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
