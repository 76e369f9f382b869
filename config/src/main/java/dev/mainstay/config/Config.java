package dev.mainstay.config;

import dev.mainstay.call.CallSettings;
import dev.mainstay.call.InFlight;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.money.PriceRow;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A checked configuration. Immutable; its secrets print as stars.
 *
 * @param providers by name, in their order in the file; those without any key left out
 * @param models by name
 * @param calls how calls are carried out where a model says nothing of its own
 * @param retryBudget retries at a provider as a share of the requests to it; default 0.2
 * @param clients who may call; empty: anyone on loopback
 * @param prices rows that add to the table that ships or replace its own
 * @param notices what was left out and why, to be told to the one who starts it
 */
public record Config(
    Server server,
    Secret adminToken,
    Store store,
    Map<String, Provider> providers,
    Map<String, Model> models,
    CallSettings calls,
    BreakerSettings breaker,
    double retryBudget,
    InFlight inFlight,
    List<Client> clients,
    Recording recording,
    Idempotency idempotency,
    List<PriceRow> prices,
    Alerts alerts,
    List<String> notices) {

  public Config {
    providers = Collections.unmodifiableMap(new LinkedHashMap<>(providers));
    models = Collections.unmodifiableMap(new LinkedHashMap<>(models));
    clients = List.copyOf(clients);
    prices = List.copyOf(prices);
    notices = List.copyOf(notices);
  }

  /** The same on another port. */
  public Config withPort(int port) {
    return withServer(
        new Server(
            server.host(),
            port,
            server.maxBody(),
            server.drain(),
            server.keepAlive(),
            server.compressFrom(),
            server.tls()));
  }

  /** The same behind another server. */
  public Config withServer(Server value) {
    var copy = new Copy(this);
    copy.server = value;
    return copy.done();
  }

  /** The same with other providers and models behind it. */
  public Config withRoutes(
      Map<String, Provider> newProviders, Map<String, Model> newModels, CallSettings newCalls) {
    var copy = new Copy(this);
    copy.providers = newProviders;
    copy.models = newModels;
    copy.calls = newCalls;
    return copy.done();
  }

  /** The same for anyone on loopback, without alerts. */
  public Config withoutClients() {
    var copy = new Copy(this);
    copy.adminToken = new Secret("");
    copy.clients = List.of();
    copy.alerts = Alerts.DEFAULTS;
    return copy.done();
  }

  Config withAdminToken(Secret token) {
    var copy = new Copy(this);
    copy.adminToken = token;
    return copy.done();
  }

  /** A configuration on its way to another that differs in some of its parts. */
  private static final class Copy {
    private final Config from;
    private Server server;
    private Secret adminToken;
    private Map<String, Provider> providers;
    private Map<String, Model> models;
    private CallSettings calls;
    private List<Client> clients;
    private Alerts alerts;

    Copy(Config from) {
      this.from = from;
      server = from.server;
      adminToken = from.adminToken;
      providers = from.providers;
      models = from.models;
      calls = from.calls;
      clients = from.clients;
      alerts = from.alerts;
    }

    Config done() {
      return new Config(
          server,
          adminToken,
          from.store,
          providers,
          models,
          calls,
          from.breaker,
          from.retryBudget,
          from.inFlight,
          clients,
          from.recording,
          from.idempotency,
          from.prices,
          alerts,
          from.notices);
    }
  }

  /**
   * @param host default 127.0.0.1
   * @param port default 8484; 0 takes a free one
   * @param maxBody largest request body in bytes; default 64 MiB
   * @param drain how long running requests may take after SIGTERM; default 30 s
   * @param keepAlive see {@link CallSettings#keepAlive}; default 30 s
   * @param compressFrom whole answers of so many bytes and more go out in gzip to clients that take
   *     it; 0 for none; default 16 KiB
   */
  public record Server(
      String host,
      int port,
      long maxBody,
      Duration drain,
      Duration keepAlive,
      int compressFrom,
      @Nullable Tls tls) {
    public static final Server DEFAULTS =
        new Server(
            "127.0.0.1",
            8484,
            64L << 20,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            16 << 10,
            null);
  }

  /**
   * @param url a directory; default ./mainstay-data
   * @param maxKept bytes of answers and requests that are kept to be given or made again; default 1
   *     GiB
   */
  public record Store(String url, long maxKept) {
    public static final Store DEFAULTS = new Store("./mainstay-data", 1L << 30);
  }

  /** A certificate chain and its key, PEM files. */
  public record Tls(Path cert, Path key) {}

  /**
   * @param api what it speaks: {@code dialect} in the file
   * @param baseUrl exactly what the provider's own SDK takes
   * @param keys its pool; empty where it needs none
   * @param headers sent with every request to it
   * @param direct whether to leave the proxies of the environment out: {@code proxy: none}
   * @param proxy its own proxy, or null for the usual variables
   * @param ca a PEM file to trust instead of the JDK's, or null
   */
  public record Provider(
      String name,
      Api api,
      URI baseUrl,
      List<Secret> keys,
      Map<String, String> headers,
      boolean direct,
      @Nullable String proxy,
      @Nullable Path ca) {
    public Provider {
      keys = List.copyOf(keys);
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return "Provider[" + name + ", " + api.label() + ", " + baseUrl + "]";
    }
  }

  /**
   * @param targets in fallback order
   * @param calls how calls to it are carried out
   */
  public record Model(
      String name, List<WeightedTarget> targets, Balance balance, CallSettings calls) {
    public Model {
      targets = List.copyOf(targets);
    }
  }

  /** A target with its share where {@link Balance#WEIGHTED} picks. */
  public record WeightedTarget(TargetId target, int weight) {}

  /** Which target of a model is asked first. */
  public enum Balance {
    ORDER,
    WEIGHTED,
    LEAST_BUSY,
    FASTEST_FIRST_TOKEN
  }

  /**
   * @param models what it may ask for; empty: everything
   * @param rpm requests a minute, or null
   * @param tpm tokens a minute, or null
   * @param parallel requests at once, or null
   * @param budget what it may spend, or null
   * @param runNanos nano-dollars each of its runs may spend, or null
   */
  public record Client(
      String name,
      Secret key,
      List<String> models,
      @Nullable Integer rpm,
      @Nullable Integer tpm,
      @Nullable Integer parallel,
      @Nullable Budget budget,
      @Nullable Long runNanos) {
    public Client {
      models = List.copyOf(models);
    }
  }

  /**
   * @param bodies whether bodies are kept; default true
   * @param retention how long; default 30 days
   * @param maxBytes how much; default 20 GiB
   * @param redact what is taken out before it is kept; default nothing
   */
  public record Recording(boolean bodies, Duration retention, long maxBytes, List<String> redact) {
    public static final Recording DEFAULTS =
        new Recording(true, Duration.ofDays(30), 20L << 30, List.of());

    public Recording {
      redact = List.copyOf(redact);
    }
  }

  /**
   * @param window how long a success is given again under its key; default 24 hours
   * @param finishWhenClientLeaves whether a call goes on without its client, its stream with event
   *     ids; default false
   */
  public record Idempotency(Duration window, boolean finishWhenClientLeaves) {
    public static final Idempotency DEFAULTS = new Idempotency(Duration.ofHours(24), false);
  }
}
