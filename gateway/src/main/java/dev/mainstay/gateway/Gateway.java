package dev.mainstay.gateway;

import dev.mainstay.config.Alerts;
import dev.mainstay.config.Config;
import dev.mainstay.config.Server;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.Generation;
import dev.mainstay.gateway.admin.Access;
import dev.mainstay.gateway.admin.AdminApi;
import dev.mainstay.gateway.admin.Audit;
import dev.mainstay.gateway.admin.EvaluationsApi;
import dev.mainstay.gateway.admin.FailureGroups;
import dev.mainstay.gateway.admin.FailuresApi;
import dev.mainstay.gateway.admin.LiveApi;
import dev.mainstay.gateway.admin.LiveFeed;
import dev.mainstay.gateway.admin.PricesApi;
import dev.mainstay.gateway.admin.ProvidersApi;
import dev.mainstay.gateway.admin.RunPoller;
import dev.mainstay.gateway.admin.SessionApi;
import dev.mainstay.gateway.admin.Sessions;
import dev.mainstay.gateway.admin.SignInLimit;
import dev.mainstay.gateway.admin.StateApi;
import dev.mainstay.gateway.alert.AlertSender;
import dev.mainstay.gateway.alert.AlertTriggers;
import dev.mainstay.gateway.alert.Alerter;
import dev.mainstay.gateway.alert.ServiceLevelMonitor;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.endpoint.InboundRequests;
import dev.mainstay.gateway.endpoint.ModelCallEndpoint;
import dev.mainstay.gateway.endpoint.ModelList;
import dev.mainstay.gateway.endpoint.Origins;
import dev.mainstay.gateway.endpoint.PassThroughEndpoint;
import dev.mainstay.gateway.health.Health;
import dev.mainstay.gateway.health.MemoryShortageLog;
import dev.mainstay.gateway.health.Metrics;
import dev.mainstay.gateway.telemetry.CallLogLines;
import dev.mainstay.gateway.telemetry.Traces;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loops;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.Routes;
import dev.mainstay.http.ServerOptions;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
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
  private final Engine engine;
  private final Health health;
  private final RequestDispatcher handler;
  private final Traces traces;
  private final CallLogLines log = new CallLogLines();
  private final Sessions sessions;
  private final LiveFeed feed = new LiveFeed(InstantSource.system());
  private final Runnable shortage = new MemoryShortageLog(MemoryBudget.process(), System::nanoTime);
  private final @Nullable AlertSender sender;
  private volatile Access access;
  private @Nullable HttpServer server;
  private boolean closed;

  private Gateway(
      Config config,
      Recorder recorder,
      @Nullable LedgerReader reader,
      @Nullable DurableState state,
      Loops loops,
      Function<Engine, List<Routes>> more) {
    this.loops = loops;
    sessions = new Sessions(state, InstantSource.system());
    access = new Access(config, sessions);
    var audit = new Audit(state, InstantSource.system());
    var cases = new FailureGroups(state, loops.next(), InstantSource.system());
    var metrics = new Metrics();
    traces = Traces.of(System.getenv(), name -> Origins.of(config(), name));
    RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
    var alerter =
        new Alerter(
            state,
            this::alerts,
            InstantSource.system(),
            System::nanoTime,
            random,
            this::deliverAlerts);
    var service = new ServiceLevelMonitor(alerter, this::alerts, System::nanoTime);
    var triggers =
        new AlertTriggers(alerter, () -> current().guards(), this::alerts, System::nanoTime);
    var requests = new InboundRequests(this::config, () -> engine().instance());
    engine =
        Engine.start(
            config,
            feed.before(recorder),
            state,
            loops,
            new GatewayListener(metrics, traces, log, triggers, service, alerter, cases),
            traces,
            requests);
    // After the engine: it asks for the configuration at once.
    sender =
        state == null
            ? null
            : AlertSender.start(
                state.alerts(), this::alerts, InstantSource.system(), metrics::alertTried);
    MemoryBudget.process().onShortage(shortage);
    health =
        new Health(
            this::current,
            engine.calls(),
            recorder,
            state,
            metrics,
            service,
            InstantSource.system(),
            System::nanoTime);
    var routes = more.apply(engine);
    handler =
        new RequestDispatcher(
            engine,
            this::access,
            new ModelCallEndpoint(engine, requests),
            new PassThroughEndpoint(engine),
            new ModelList(engine),
            new AdminApi(
                this::current,
                this::access,
                reader,
                System::nanoTime,
                new StateApi(state, reader, engine.durable(), this::config, this::access),
                parts(state, reader, recorder, audit),
                audit,
                routes.stream().filter(each -> !each.isPublic()).toList()),
            health,
            metrics,
            routes.stream().filter(Routes::isPublic).toList());
  }

  /** What the admin API offers beside calls and their sums. */
  private List<Route> parts(
      @Nullable DurableState state, @Nullable LedgerReader reader, Recorder recorder, Audit audit) {
    var routes = new ArrayList<Route>();
    routes.add(
        new LiveApi(
                feed,
                new RunPoller(state == null ? null : state.runs(), loops::next, feed::add),
                this::mayStillListen)
            .route());
    routes.addAll(
        new SessionApi(
                this::access,
                this::config,
                sessions,
                new SignInLimit(state, InstantSource.system(), System::nanoTime),
                audit)
            .routes());
    routes.addAll(new EvaluationsApi(state, reader, recorder, InstantSource.system()).routes());
    routes.addAll(new FailuresApi(state, InstantSource.system()).routes());
    routes.addAll(new ProvidersApi(this::current, System::nanoTime).routes());
    routes.add(new PricesApi(this::config).route());
    return routes;
  }

  /** As this gateway last heard; it asks the store for the next time. */
  private boolean mayStillListen(Exchange exchange) {
    var unused = access().refreshed(exchange);
    return access().admin(exchange) instanceof Access.Admin.In;
  }

  private void deliverAlerts() {
    if (sender != null) {
      sender.wake();
    }
  }

  private Engine engine() {
    return engine;
  }

  private Generation current() {
    return engine.current();
  }

  Config config() {
    return engine.config();
  }

  private Access access() {
    return access;
  }

  private Alerts alerts() {
    return config().alerts();
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
    return start(config, recorder, reader, state, engine -> List.of());
  }

  /**
   * Listens and serves, with further routes of the admin API on the same engine.
   *
   * @param more makes them; called once, before the port is open
   */
  public static Gateway start(
      Config config,
      Recorder recorder,
      @Nullable LedgerReader reader,
      @Nullable DurableState state,
      Function<Engine, List<Routes>> more)
      throws IOException {
    var loops = Loops.start();
    try {
      var gateway = new Gateway(config, recorder, reader, state, loops, more);
      gateway.listen(config.server());
      config.warnings().forEach(warning -> LOG.warn("{}", warning));
      return gateway;
    } catch (IOException | RuntimeException e) {
      loops.close();
      throw e;
    }
  }

  private void listen(Server at) throws IOException {
    try {
      server = HttpServer.start(options(at), loops, handler);
      engine.recover();
    } catch (IOException | RuntimeException e) {
      if (sender != null) {
        sender.close();
      }
      throw e;
    }
  }

  private static ServerOptions options(Server server) {
    var options =
        ServerOptions.defaults()
            .at(server.host(), server.port())
            .withMaxBody(server.maxBody())
            .withPackFrom((int) server.compressFrom());
    var tls = server.tls();
    return tls == null ? options : options.withTls(new ServerOptions.Tls(tls.cert(), tls.key()));
  }

  /** Reads the rules now, so that no call waits for them. Takes half a second of CPU. */
  public void readRules() {
    var unused = current().rules().classifier();
  }

  /** The port it listens on. */
  public int port() {
    var listening = server;
    return listening == null ? 0 : listening.port();
  }

  /** Calls under way. */
  public int running() {
    return engine.calls().running();
  }

  /**
   * Serves new requests by {@code config}; those that run go on as they began. What belongs to the
   * listening port ({@code server}) is read at the start alone.
   *
   * @throws IllegalArgumentException when a certificate cannot be read; the old one stays
   */
  public synchronized void reload(Config config) {
    engine.reload(config);
    access = new Access(config, sessions);
    config.warnings().forEach(warning -> LOG.warn("{}", warning));
    LOG.info("Mainstay reloaded the configuration");
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
        engine.awaitIdle(Duration.ofNanos(until - System.nanoTime()));
      }
      if (engine.calls().running() > 0) {
        engine.stopAll("this gateway is shutting down");
        listening
            .drain(LAST_WORDS)
            .toCompletableFuture()
            .get(LAST_WORDS.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
        engine.awaitIdle(LAST_WORDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("some parts did not close in time: {}", e.getClass().getSimpleName());
    }
    listening.close();
    MemoryBudget.process().removeOnShortage(shortage);
    engine.close();
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
