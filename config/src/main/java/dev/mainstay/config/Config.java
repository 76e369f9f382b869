package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.http.Role;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.money.Prices;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A checked configuration: every setting there is, each declared where it is held. A component is a
 * section of the file. Immutable; its secrets print as stars.
 *
 * @param providers by name, in their order in the file; those without any key left out
 * @param findings what the reading found besides
 */
public record Config(
    @Setting("The server that clients connect to.") Server server,
    @Setting("Access to the admin API and the studio.") Admin admin,
    @Setting("Where Mainstay keeps its records.") Store store,
    @Setting("The providers, by name. A name contains no `/`.") Map<String, Provider> providers,
    @Setting("The models that clients can request, by name.") Map<String, Model> models,
    @Setting(value = "How Mainstay recovers a call, and within which bounds.", inherited = true)
        Recovery recovery,
    @Setting("How Mainstay recognises a repeated request.") Idempotency idempotency,
    @Setting("The clients that may call. Without any, every program on this machine may call.")
        List<Client> clients,
    @Setting("What Mainstay records of calls.") Recording recording,
    @Setting(
            value = "Files of your own rules. Mainstay tries them before its own.",
            type = Types.FilePath.class)
        List<Path> rules,
    @Setting("Prices that add to Mainstay's own table or replace rows of it.") List<Price> prices,
    @Setting("The alerts that Mainstay sends, and where it sends them.") Alerts alerts,
    @Setting("The agents, by name.") Map<String, Agent> agents,
    @Setting("How Mainstay executes agents' runs.") Runs runs,
    Findings findings) {

  public Config {
    findings = findings == null ? Findings.NONE : findings;
  }

  /**
   * What the reading of a file found besides its settings.
   *
   * @param notices what was left out, and why
   * @param doubts what may be meant and probably is not; {@code config check --strict} refuses it
   * @param origins where each value was given, by its path
   */
  public record Findings(List<String> notices, List<Problem> doubts, Map<String, String> origins) {
    static final Findings NONE = new Findings(List.of(), List.of(), Map.of());

    public Findings {
      notices = List.copyOf(notices);
      doubts = List.copyOf(doubts);
      origins = Collections.unmodifiableMap(new LinkedHashMap<>(origins));
    }
  }

  public Secret adminToken() {
    return admin.token();
  }

  /** How calls are carried out where a model says nothing of its own. */
  public CallSettings calls() {
    return recovery.calls();
  }

  public BreakerSettings breaker() {
    return recovery.guards().breaker();
  }

  /** Retries at a provider as a share of the requests to it. */
  public double retryBudget() {
    return recovery.guards().retryBudget();
  }

  public InFlight inFlight() {
    return recovery.inFlight();
  }

  /** The table of prices that ships with the configuration's own rows, by vendor. */
  public Prices priceTable() {
    var vendors = new HashMap<String, String>();
    providers.forEach((name, provider) -> vendors.put(name, provider.vendorName()));
    return Prices.shipped().with(prices.stream().map(Price::row).toList()).forVendors(vendors);
  }

  /**
   * The texts of the configuration's own rules, by their files.
   *
   * @throws IllegalArgumentException naming a file that cannot be read
   */
  public Map<String, String> ruleTexts() {
    var texts = new LinkedHashMap<String, String>();
    rules.forEach(file -> texts.put(file.toString(), text(file)));
    return texts;
  }

  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(Unreadable.what(file, e), e);
    }
  }

  /** What was left out and why, for the person who starts it. */
  public List<String> notices() {
    var notices = new ArrayList<>(findings.notices());
    if (providers.isEmpty()) {
      notices.add("no provider has a key: Mainstay cannot serve any call");
    }
    return notices;
  }

  /** All that the person who starts it should read: what was left out, and what is doubtful. */
  public List<String> warnings() {
    var warnings = new ArrayList<>(notices());
    findings.doubts().forEach(doubt -> warnings.add(doubt.toString()));
    return warnings;
  }

  /** The same on another port. */
  public Config withPort(int port) {
    return withServer(Declaration.with(server, Map.of("port", port)));
  }

  /** The same behind another server. */
  public Config withServer(Server value) {
    return Declaration.with(this, Map.of("server", value));
  }

  /** The same with other providers and models behind it. */
  public Config withRoutes(
      Map<String, Provider> newProviders, Map<String, Model> newModels, CallSettings newCalls) {
    return Declaration.with(
        this,
        Map.of(
            "providers", Collections.unmodifiableMap(new LinkedHashMap<>(newProviders)),
            "models", Collections.unmodifiableMap(new LinkedHashMap<>(newModels)),
            "recovery", Declaration.with(recovery, Map.of("calls", newCalls))));
  }

  /** The same for anyone on loopback, without alerts. */
  public Config withoutClients() {
    return Declaration.with(
        this,
        Map.of(
            "admin",
            new Admin(new Secret(""), List.of()),
            "clients",
            List.of(),
            "alerts",
            Alerts.DEFAULTS));
  }

  /** Where clients connect. */
  public record Server(
      @Setting(
              value =
                  "The address to listen on. An address other than a loopback needs `admin.token`"
                      + " or `admin.accounts`.",
              byDefault = "127.0.0.1")
          String host,
      @Setting(
              value = "The port; 0 takes a free port. `--port` overrides it.",
              byDefault = "8484",
              least = "0",
              most = "65535")
          int port,
      @Setting(
              value =
                  "The largest request body of a call, compressed or not. Mainstay refuses a larger"
                      + " one with 413.",
              byDefault = "64MiB",
              unit = "bytes",
              least = "1",
              most = "2147483647")
          long maxBody,
      @Setting(
              value = "The time that running requests have to end after SIGTERM.",
              byDefault = "30s")
          Duration drain,
      @Setting(
              value =
                  "If a stream has sent nothing for this long, Mainstay sends its headers and SSE"
                      + " comments.",
              byDefault = "30s",
              least = "1ms")
          Duration keepAlive,
      @Setting(
              value =
                  "Mainstay compresses whole answers of this size or more with gzip for clients"
                      + " that accept it; 0 turns this off.",
              byDefault = "16KiB",
              unit = "bytes",
              most = "2147483647")
          long compressFrom,
      @Setting(value = "The certificate for HTTPS.", optional = true) @Nullable Tls tls) {
    public static final Server DEFAULTS = Declaration.defaults(Server.class);
  }

  /** A certificate chain and its key. */
  public record Tls(
      @Setting(
              value = "The PEM file of the certificate chain.",
              type = Types.FilePath.class,
              required = true)
          Path cert,
      @Setting(
              value = "The PEM file of the private key: PKCS#8, without a password.",
              type = Types.FilePath.class,
              required = true)
          Path key) {}

  /** Who may administer. */
  public record Admin(
      @Setting(
              value =
                  "The token for `/api` and the studio, sent as `Authorization: Bearer …`. Without"
                      + " token and accounts, only programs on this machine have access.",
              byDefault = "",
              type = Types.HeaderSecret.class)
          Secret token,
      @Setting("People who sign in with a name and a password.") List<Account> accounts) {

    /** Whether somebody has to show who they are. */
    public boolean isGuarded() {
      return !token.isEmpty() || !accounts.isEmpty();
    }
  }

  /** A person who signs in with a name and a password. */
  public record Account(
      @Setting(value = "The account's unique name, which the audit log shows.", required = true)
          String name,
      @Setting(
              value = "The hash of the password, from `./mainstay config password`.",
              type = Types.Password.class,
              required = true)
          PasswordHash passwordHash,
      @Setting(
              value =
                  "`viewer` sees everything except prompts and answers. `operator` also sees those,"
                      + " and acts on calls and runs. `admin` may do everything.",
              byDefault = "viewer")
          Role role) {}

  /** Where Mainstay keeps its records. */
  public record Store(
      @Setting(
              value =
                  "A directory, relative to the folder in which Mainstay starts, or"
                      + " `jdbc:postgresql://…` for several gateways.",
              byDefault = "./mainstay-data",
              type = Types.StoreUrl.class)
          String url,
      @Setting(
              value =
                  "The bound for the answers and requests that Mainstay keeps to return or repeat.",
              byDefault = "1GiB",
              unit = "bytes",
              least = "1MiB")
          long maxKept,
      @Setting(
              value =
                  "PostgreSQL only: the time within which another gateway takes over the work of"
                      + " one that dies.",
              byDefault = "10s",
              least = "1s",
              most = "10m")
          Duration lease,
      @Setting(
              value =
                  "PostgreSQL only: the directory on this machine in which records wait while the"
                      + " database is away.",
              byDefault = "./mainstay-spool")
          String spool) {
    /** Whether the store is a database that several gateways share. */
    public boolean isShared() {
      return url.startsWith("jdbc:");
    }

    public static final Store DEFAULTS = Declaration.defaults(Store.class);
  }

  /** A company's API, or a server that speaks like one. */
  public record Provider(
      @Setting(value = "The name.", key = true) String name,
      @Setting(value = "The provider's wire format.", name = "dialect", required = true) Api api,
      @Setting(
              value = "The base URL, exactly as the provider's own SDK takes it.",
              type = Types.BaseUrl.class,
              required = true)
          URI baseUrl,
      @Setting(
              value = "The pool of keys. Leave it out if the provider needs no key.",
              type = Types.ProviderKey.class)
          List<Secret> keys,
      @Setting(
              value = "Headers to send with every request to the provider.",
              type = Types.HiddenText.class)
          Map<String, String> headers,
      @Setting(
              value = "The URL of an HTTP proxy for this provider, or `none`.",
              otherwise = "the usual proxy variables",
              type = Types.ProxyUrl.class)
          @Nullable String proxy,
      @Setting("The certificates to trust.") Trust tls,
      @Setting(
              value =
                  "The vendor whose rules and prices apply: openai, anthropic, mistral, gemini, …",
              otherwise = "the owner of the base URL, else the provider's name")
          @Nullable String vendor,
      @Setting("The limits of the account, which all clients and agents share.")
          RateLimits limits) {
    public Provider {
      keys = List.copyOf(keys);
      var lower = new TreeMap<String, String>();
      headers.forEach((header, value) -> lower.put(header.toLowerCase(Locale.ROOT), value));
      headers = Collections.unmodifiableMap(lower);
    }

    /** One with nothing but a key or none. */
    public static Provider of(String name, Api api, URI baseUrl, List<Secret> keys) {
      return new Provider(
          name, api, baseUrl, keys, Map.of(), null, new Trust(null), null, RateLimits.NONE);
    }

    Provider withKeys(List<Secret> value) {
      return new Provider(name, api, baseUrl, value, headers, proxy, tls, vendor, limits);
    }

    /** The vendor whose prices hold: as said, else the base URL's owner, else the name. */
    public String vendorName() {
      return Vendors.of(this);
    }

    /** The name of the rules that its failures go through first. */
    public String rulesName() {
      return Vendors.rules(this);
    }

    /** Whether the proxies of the environment are left out. */
    public boolean direct() {
      return "none".equals(proxy);
    }

    /** A PEM file of the certificates to trust, or null for the JDK's. */
    public @Nullable Path ca() {
      return tls.ca();
    }

    @Override
    public String toString() {
      return "Provider[" + name + ", " + api.label() + ", " + baseUrl + "]";
    }
  }

  /** Whom to trust. */
  public record Trust(
      @Setting(
              value = "The PEM file of the certificates to trust instead of the JDK's.",
              type = Types.FilePath.class)
          @Nullable Path ca) {}

  /** Who may call. */
  public record Client(
      @Setting(value = "The client's unique name, which the ledger shows.", required = true)
          String name,
      @Setting(
              value =
                  "The key that the client sends as `Authorization: Bearer`, `x-api-key` or"
                      + " `x-goog-api-key`.",
              type = Types.HeaderSecret.class,
              required = true)
          Secret key,
      @Setting(
              value = "The model names that the client may request, as it writes them.",
              otherwise = "everything")
          List<String> models,
      @Setting(value = "The agents that the client may start, see and control.", otherwise = "all")
          List<String> agents,
      @Setting("The limits of the client.") RateLimits limits,
      @Setting(value = "The budget of the client.", optional = true) @Nullable Budget budget,
      @Setting(
              value = "The budget of each of the client's runs. It does not renew.",
              optional = true)
          @Nullable RunBudget runBudget) {
    public @Nullable Integer rpm() {
      return limits.rpm();
    }

    public @Nullable Integer tpm() {
      return limits.tpm();
    }

    public @Nullable Integer parallel() {
      return limits.parallel();
    }

    /** Nano-dollars each of its runs may spend, or null. */
    public @Nullable Long runNanos() {
      return runBudget == null ? null : runBudget.nanos();
    }
  }

  /** What a run may spend. */
  public record RunBudget(
      @Setting(value = "US dollars.", name = "usd", unit = "USD", required = true) long nanos) {}

  /** One name that clients may ask for. */
  public record Model(
      @Setting(value = "The name that clients ask for.", key = true) String name,
      @Setting(
              value =
                  "The targets in fallback order: `provider/model`, or a target with its weight.",
              shortFor = "target",
              otherwise = "required")
          List<WeightedTarget> targets,
      @Setting(value = "How Mainstay chooses the first target.", byDefault = "order")
          Balance balance,
      @Setting(
              value =
                  "Settings of `recovery` for this model, except `breaker`, `retry-budget` and"
                      + " `in-flight`.",
              inherited = true)
          ModelRecovery recovery) {

    /** How calls to it are carried out. */
    public CallSettings calls() {
      return recovery.calls();
    }

    /** The same, carried out otherwise. */
    public Model withCalls(CallSettings calls) {
      return new Model(name, targets, balance, new ModelRecovery(recovery.preset(), calls));
    }
  }

  /** A target with its share. */
  public record WeightedTarget(
      @Setting(
              value = "A provider and one of its models.",
              type = Types.Target.class,
              required = true)
          TargetId target,
      @Setting(
              value =
                  "The target's share with `balance: weighted`. With any balance but `order`,"
                      + " targets of weight 0 come last.",
              byDefault = "1",
              least = "0",
              most = "1000000")
          int weight) {}

  /** Which target of a model is asked first. */
  public enum Balance {
    ORDER,
    WEIGHTED,
    LEAST_BUSY,
    FASTEST_FIRST_TOKEN
  }

  /** How requests that are sent twice are recognised. */
  public record Idempotency(
      @Setting(
              value = "How long Mainstay returns a stored success for the same `Idempotency-Key`.",
              byDefault = "24h",
              least = "1ms")
          Duration window,
      @Setting(
              value =
                  "Whether a call continues after its client leaves. Streams then carry event ids.",
              byDefault = "false")
          boolean finishWhenClientLeaves) {
    public static final Idempotency DEFAULTS = Declaration.defaults(Idempotency.class);
  }

  /** What is kept of calls. */
  public record Recording(
      @Setting(
              value =
                  "Whether Mainstay keeps bodies and the text of providers' errors. Without them,"
                      + " or with `redact`, Mainstay purges a run's journal when the run ends.",
              byDefault = "true")
          boolean bodies,
      @Setting(
              value =
                  "The paths and patterns that Mainstay removes from bodies before it writes them"
                      + " to disk.",
              type = Types.RedactionRule.class)
          List<String> redact,
      @Setting(
              value = "The age at which Mainstay deletes calls and bodies.",
              byDefault = "30d",
              least = "1ms")
          Duration retention,
      @Setting(
              value = "The size beyond which Mainstay deletes the oldest calls and bodies.",
              byDefault = "20GiB",
              unit = "bytes",
              least = "1MiB")
          long maxBytes,
      @Setting(value = "Whether you can search for words in the kept bodies.", byDefault = "true")
          boolean search) {
    public static final Recording DEFAULTS = Declaration.defaults(Recording.class);
  }
}
