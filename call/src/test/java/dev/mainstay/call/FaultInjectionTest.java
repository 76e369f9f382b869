package dev.mainstay.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallListener;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.LearnedQuirks;
import dev.mainstay.call.api.ObjectBinding;
import dev.mainstay.call.api.Peers;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loop;
import dev.mainstay.http.Loops;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.ServerOptions;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamOptions;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.SplicedBytes;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a call asks of the world around it throws once, at every point in turn, and then at that
 * point and all after it: each time the call ends, and holds nothing any more.
 */
@Timeout(300)
final class FaultInjectionTest {
  /** What the provider does with its requests. */
  enum Provider {
    WHOLE(false, "whole"),
    STREAM(true, "stream"),
    /** The first answer breaks after some of it was delivered; the second goes on with it. */
    BROKEN(true, "broken", "stream"),
    /** The first answer is an error worth a retry. */
    RETRIED(false, "error", "whole"),
    /** Every answer is an error. */
    FAILING(true, "error", "error", "error", "error", "error", "error");

    private final boolean stream;
    private final List<String> script;

    Provider(boolean stream, String... script) {
      this.stream = stream;
      this.script = List.of(script);
    }
  }

  private static final TargetId TARGET = new TargetId("one", "m");

  private final Loops loops = Loops.start(1);
  private final AtomicInteger asked = new AtomicInteger();
  private List<String> script = List.of();
  private HttpServer server = serve();

  private HttpServer serve() {
    try {
      return HttpServer.start(ServerOptions.defaults(), loops, this::answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void readRules() {
    Classifier.standard();
  }

  @AfterEach
  void close() {
    server.close();
    loops.close();
  }

  private void answer(Exchange exchange) {
    var head = new DefaultHttpHeaders();
    switch (script.get(Math.min(asked.getAndIncrement(), script.size() - 1))) {
      case "whole" -> {
        head.set("content-type", "application/json");
        exchange.respond(
            200,
            head,
            text(
                "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\","
                    + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                    + "\"content\":\"Hello\"},\"finish_reason\":\"stop\"}],"
                    + "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}"));
      }
      case "stream" -> {
        head.set("content-type", "text/event-stream");
        exchange.begin(200, head);
        exchange.write(text(chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null")));
        exchange.write(text(chunk("{\"content\":\"Hello\"}", "null")));
        exchange.write(text(chunk("{\"content\":\" there\"}", "null")));
        exchange.write(text(chunk("{}", "\"stop\"") + "data: [DONE]\n\n"));
        exchange.end();
      }
      case "broken" -> {
        head.set("content-type", "text/event-stream");
        exchange.begin(200, head);
        exchange.write(text(chunk("{\"role\":\"assistant\",\"content\":\"Hel\"}", "null")));
        exchange.abort();
      }
      default -> exchange.respond(503, "application/json", "{\"error\":{\"message\":\"busy\"}}");
    }
  }

  private static String chunk(String delta, String finish) {
    return "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + finish
        + "}]}\n\n";
  }

  private static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }

  /** Throws at its {@code at}th point, and at all after it where it goes on. */
  private static final class Fault {
    private final int at;
    private final boolean goesOn;
    private final AtomicInteger points = new AtomicInteger();

    Fault(int at, boolean goesOn) {
      this.at = at;
      this.goesOn = goesOn;
    }

    void point() {
      int now = points.getAndIncrement();
      if (now == at || (goesOn && now > at)) {
        throw new IllegalStateException("injected");
      }
    }

    boolean reached() {
      return points.get() > at;
    }
  }

  @ParameterizedTest
  @EnumSource(Provider.class)
  void aCallEndsAndHoldsNothingWhereverOneFaultHitsIt(Provider provider) throws Exception {
    int at = 0;
    while (outcome(provider, new Fault(at, false))) {
      at++;
    }
    assertThat(at).as("points that could throw").isGreaterThan(15);
  }

  @ParameterizedTest
  @EnumSource(Provider.class)
  void aCallHoldsNothingWhenEverythingThrowsFromSomePointOn(Provider provider) throws Exception {
    int at = 0;
    while (outcome(provider, new Fault(at, true))) {
      at++;
    }
  }

  /** Makes one call; whether the fault hit it. */
  private boolean outcome(Provider provider, Fault fault) throws Exception {
    script = provider.script;
    asked.set(0);
    var spec =
        new ProviderSpec(
            "one",
            Api.OPENAI,
            "openai",
            UpstreamOptions.of("http://127.0.0.1:" + server.port()),
            List.of("sk-test-key"),
            Map.of(),
            RateLimits.NONE);
    var upstreams =
        Upstreams.create(
            List.of(spec), 1, options -> UpstreamClient.create(options, loops), Peers.NONE, null);
    var guards = new Guards(BreakerSettings.defaults(), InFlight.defaults());
    var memory = new MemoryBudget(64 << 20);
    var recorded = new AtomicInteger();
    var told = new AtomicInteger();
    var freed = new AtomicInteger();
    var calls =
        new Calls(
            new Services(
                failure -> {
                  fault.point();
                  return Classifier.standard().classify(failure);
                },
                recorder(recorded, fault),
                () -> Prices.none(),
                InstantSource.system(),
                () -> {
                  fault.point();
                  return System.nanoTime();
                },
                () -> 0,
                new LearnedQuirks(System::nanoTime),
                memory,
                CallListener.all(
                    List.of(
                        listener(fault::point, fault::point),
                        listener(freed::incrementAndGet, told::incrementAndGet)))));
    var recipient = new Client(loops.next(), fault, freed::get);
    var begun = new CompletableFuture<Void>();
    recipient.loop.execute(
        () -> {
          try {
            calls.start(
                calls.newId(),
                request(provider.stream),
                upstreams,
                guards,
                recipient,
                new Budget(recipient.loop, fault),
                RouteLease.of(Route.of(TARGET), upstreams));
          } catch (RuntimeException | MalformedRequest e) {
            // It has not begun, which its caller sees.
            recipient.ended.complete("refused");
          }
          begun.complete(null);
        });
    begun.get(60, TimeUnit.SECONDS);

    var how = "a fault at point " + fault.at;
    if (!fault.goesOn) {
      assertThat(recipient.ended).as(how).succeedsWithin(Duration.ofSeconds(60));
    }
    assertThat(calls.awaitIdle(Duration.ofSeconds(60))).as(how + ": it ends").isTrue();
    assertThat(guards.busy(TARGET)).as(how + ": slots").isZero();
    calls.close();
    assertThat(memory.used()).as(how + ": memory").isZero();
    var client = Objects.requireNonNull(upstreams.provider("one")).client;
    upstreams.retire(null);
    assertThat(client.closed()).as(how + ": leases").isTrue();
    if (!fault.goesOn && !"refused".equals(recipient.ended.join())) {
      var loop = new CompletableFuture<Void>();
      recipient.loop.execute(() -> loop.complete(null));
      loop.get(60, TimeUnit.SECONDS);
      assertThat(told).as(how + ": the second listener").hasValue(1);
      assertThat(recipient.freedBefore)
          .as(how + ": what the next call may need is free before the last of the answer")
          .isEqualTo(1);
    }
    return fault.reached();
  }

  private static CallListener listener(Runnable ending, Runnable ended) {
    return new CallListener() {
      @Override
      public void ending(CallRecord call) {
        ending.run();
      }

      @Override
      public void ended(CallRecord call, List<AttemptRecord> attempts) {
        ended.run();
      }
    };
  }

  private static CallRequest request(boolean stream) throws MalformedRequest {
    byte[] body =
        ("{\"model\":\"one/m\",\"stream\":"
                + stream
                + ",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}")
            .getBytes(StandardCharsets.UTF_8);
    return new CallRequest(
        new CallRequest.Content(
            Operation.CHAT,
            Dialect.OPENAI_CHAT,
            "one/m",
            stream,
            false,
            RequestReader.read(Operation.CHAT, body),
            body),
        new CallRequest.Plan(
            Route.of(TARGET), CallSettings.defaults(), Limits.NONE, true, ObjectBinding.NONE),
        new CallRequest.Origin("/v1/chat/completions", Map.of(), null, "test", null, null, null));
  }

  private static Recorder recorder(AtomicInteger recorded, Fault fault) {
    return new Recorder() {
      @Override
      public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
        fault.point();
        recorded.incrementAndGet();
      }

      @Override
      public boolean flush(Duration patience) {
        return true;
      }

      @Override
      public Health health() {
        return new Health(null, 0, 0, 0, 0, 0);
      }
    };
  }

  /** Answers later, and may fail in every way that a store can. */
  private record Budget(Loop loop, Fault fault) implements BudgetReservation {
    @Override
    public @Nullable CompletionStage<Answer> before(
        TargetId target, Operation operation, SplicedBytes body) {
      fault.point();
      var answer = new CompletableFuture<Answer>();
      loop.execute(
          () -> {
            try {
              fault.point();
              answer.complete(new Answer.Granted());
            } catch (IllegalStateException e) {
              answer.completeExceptionally(e);
            }
          });
      return answer;
    }

    @Override
    public void after(@Nullable Long nanos, boolean reported) {
      fault.point();
    }
  }

  /** A recipient whose every method may throw before it does what it is for. */
  private static final class Client implements Recipient {
    private final Loop loop;
    private final Fault fault;
    private final IntSupplier freed;
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private volatile int freedBefore;

    Client(Loop loop, Fault fault, IntSupplier freed) {
      this.loop = loop;
      this.fault = fault;
      this.freed = freed;
    }

    private void ended(String how) {
      freedBefore = freed.getAsInt();
      ended.complete(how);
    }

    @Override
    public Loop loop() {
      return loop;
    }

    @Override
    public void respond(int status, HttpHeaders headers, ByteBuf body) {
      body.release();
      fault.point();
      ended("answered " + status);
    }

    @Override
    public void begin(int status, HttpHeaders headers) {
      fault.point();
    }

    @Override
    public void write(ByteBuf data) {
      data.release();
      fault.point();
    }

    @Override
    public void end() {
      fault.point();
      ended("streamed");
    }

    @Override
    public boolean writable() {
      fault.point();
      return true;
    }

    @Override
    public void onWritable(Runnable callback) {
      fault.point();
    }

    @Override
    public void onGone(Runnable callback) {
      fault.point();
    }
  }
}
