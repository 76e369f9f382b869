package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.wire.money.Prices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
            type = ConfigTypes.FilePath.class)
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
      throw new IllegalArgumentException(UnreadableFile.what(file, e), e);
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
}
