package dev.mainstay.gateway;

import dev.mainstay.call.Calls;
import dev.mainstay.call.LearnedQuirks;
import dev.mainstay.call.Services;
import dev.mainstay.config.Alerts;
import dev.mainstay.config.Config;
import dev.mainstay.core.classify.Classifier;
import dev.mainstay.gateway.alert.AlertWatch;
import dev.mainstay.gateway.alert.Alerter;
import dev.mainstay.gateway.alert.WebhookSender;
import dev.mainstay.gateway.idempotency.JoinableCalls;
import dev.mainstay.gateway.money.Spending;
import dev.mainstay.gateway.telemetry.CallLog;
import dev.mainstay.gateway.telemetry.Traces;
import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loops;
import dev.mainstay.http.ServerOptions;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running gateway: one port, one generation of the configuration at a time. Thread-safe. */
public final class Gateway implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

  /** How long calls that were told to end may take to say so to their clients. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);

  private final Loops loops;
  private final Calls calls;
  private final Health health;
  private final DurableCalls lasting;
  private final RequestDispatcher handler;
  private final Traces traces;
  private final CallLog log = new CallLog();
  private volatile Generation current;
  private final @Nullable WebhookSender sender;
  private @Nullable HttpServer server;
  private boolean closed;

  private Gateway(
      Config config,
      Recorder recorder,
      @Nullable LedgerReader reader,
      @Nullable DurableState state,
      Loops loops) {
    this.loops = loops;
    current = Generation.of(config, null, loops, System.getenv());
    var metrics = new Metrics();
    var limits = new ClientLimits(System::nanoTime);
    var sharing = new JoinableCalls(state);
    traces = Traces.of(System.getenv(), name -> Origins.of(current().config(), name));
    RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
    sender =
        state == null
            ? null
            : WebhookSender.start(
                state.alerts(), this::alerts, InstantSource.system(), metrics::alertTried);
    var alerter =
        new Alerter(
            state,
            this::alerts,
            InstantSource.system(),
            System::nanoTime,
            random,
            sender == null ? () -> {} : sender::wake);
    var watch = new AlertWatch(alerter, () -> current().guards(), this::alerts, System::nanoTime);
    var spending =
        new Spending(
            state,
            () -> current().prices(),
            InstantSource.system(),
            (account, message) ->
                alerter.raise("budget " + account, "budget_exhausted", account + ": " + message));
    calls =
        new Calls(
            new Services(
                // The rules are read by the first failure, or behind the start (readRules): a call
                // that succeeds needs none of them, and reading takes as long as all the rest.
                watch.watching(failure -> Classifier.standard().classify(failure)),
                recorder,
                () -> current().prices(),
                InstantSource.system(),
                System::nanoTime,
                random,
                new LearnedQuirks(),
                (call, attempts) -> {
                  metrics.ended(call, attempts);
                  limits.ended(call);
                  // Reads the answer that sharing lets go of.
                  kept().ended(call);
                  sharing.ended(call);
                  spending.ended(call);
                  traces.ended(call, attempts);
                  log.ended(call);
                  watch.ended(call, attempts);
                }));
    health = new Health(this::current, calls, recorder, state, metrics, System::nanoTime);
    var instance = "mainstay-" + Long.toHexString(random.nextLong());
    var asks = new InboundRequests(this::current, instance);
    var launcher = new Launcher(calls, this::current, limits, spending, traces);
    lasting =
        new DurableCalls(
            launcher, sharing, state, asks, calls::newId, loops, InstantSource.system());
    var once =
        new IdempotencyFilter(
            launcher,
            this::current,
            sharing,
            lasting,
            state,
            InstantSource.system(),
            metrics::withoutCall);
    handler =
        new RequestDispatcher(
            calls,
            this::current,
            new ModelCallEndpoint(calls, once, asks, instance),
            new PassThroughEndpoint(calls, this::current, instance, limits),
            new ModelList(this::current, calls),
            new AdminApi(
                this::current,
                reader,
                System::nanoTime,
                new StateApi(state, lasting, this::current)),
            health,
            metrics);
  }

  private Generation current() {
    return current;
  }

  private DurableCalls kept() {
    return lasting;
  }

  private Alerts alerts() {
    return current.config().alerts();
  }

  /**
   * Listens and serves.
   *
   * @param recorder where calls are recorded; stays open when the gateway closes
   * @param reader what {@code /api/calls} reads, or null where the ledger is not to be read
   * @throws IOException when the address cannot be listened on
   * @throws IllegalArgumentException when a certificate cannot be read
   */
  public static Gateway start(Config config, Recorder recorder, @Nullable LedgerReader reader)
      throws IOException {
    return start(config, recorder, reader, null);
  }

  /**
   * Listens and serves, and keeps what must survive in {@code state}, which stays open when the
   * gateway closes.
   *
   * @param state null: answers are not kept to be given again, and a budget is refused
   */
  public static Gateway start(
      Config config, Recorder recorder, @Nullable LedgerReader reader, @Nullable DurableState state)
      throws IOException {
    var loops = Loops.start();
    try {
      var gateway = new Gateway(config, recorder, reader, state, loops);
      gateway.listen(config.server());
      config.notices().forEach(notice -> LOG.warn("{}", notice));
      return gateway;
    } catch (IOException | RuntimeException e) {
      loops.close();
      throw e;
    }
  }

  private void listen(Config.Server at) throws IOException {
    try {
      server = HttpServer.start(options(at), loops, handler);
      lasting.recover();
    } catch (IOException | RuntimeException e) {
      if (sender != null) {
        sender.close();
      }
      throw e;
    }
  }

  private static ServerOptions options(Config.Server server) {
    var options =
        ServerOptions.defaults()
            .at(server.host(), server.port())
            .withMaxBody(server.maxBody())
            .withPackFrom(server.compressFrom());
    var tls = server.tls();
    return tls == null ? options : options.withTls(new ServerOptions.Tls(tls.cert(), tls.key()));
  }

  /** Reads the rules now, so that no call waits for them. Takes half a second of CPU. */
  public static void readRules() {
    Classifier.standard();
  }

  /** The port it listens on. */
  public int port() {
    var listening = server;
    return listening == null ? 0 : listening.port();
  }

  /** Calls under way. */
  public int running() {
    return calls.running();
  }

  /**
   * Serves new requests by {@code config}; those that run go on as they began. What belongs to the
   * listening port ({@code server}) is read at the start alone.
   *
   * @throws IllegalArgumentException when a certificate cannot be read; the old one stays
   */
  public synchronized void reload(Config config) {
    var before = current;
    current = Generation.of(config, before, loops, System.getenv());
    calls.forget();
    before.upstreams().retire(current.upstreams());
    config.notices().forEach(notice -> LOG.warn("{}", notice));
    LOG.info("the configuration was reloaded");
  }

  /**
   * Is not ready any more and says so, refuses new calls with 503 and {@code retry-after}, lets
   * what runs finish for at most {@code atMost}, ends the rest with an error in the client's
   * dialect, and closes. Blocks until then.
   */
  public synchronized void close(Duration atMost) {
    var listening = server;
    if (closed || listening == null) {
      return;
    }
    closed = true;
    health.drain();
    long until = System.nanoTime() + atMost.toNanos();
    try {
      if (atMost.isPositive()) {
        listening
            .drain(atMost)
            .toCompletableFuture()
            .get(atMost.plus(LAST_WORDS).toMillis(), TimeUnit.MILLISECONDS);
        // Calls that no client waits for have no exchange that would tell.
        calls.awaitIdle(Duration.ofNanos(until - System.nanoTime()));
      }
      if (calls.running() > 0) {
        lasting.closing();
        calls.stopAll("this gateway is shutting down");
        listening
            .drain(LAST_WORDS)
            .toCompletableFuture()
            .get(LAST_WORDS.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
        calls.awaitIdle(LAST_WORDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("not everything ended in time: {}", e.getClass().getSimpleName());
    }
    listening.close();
    current.upstreams().retire(null);
    if (sender != null) {
      sender.close();
    }
    loops.close();
    traces.close();
    log.close();
  }

  /** {@link #close(Duration)} without any time to finish. */
  @Override
  public void close() {
    close(Duration.ZERO);
  }
}
