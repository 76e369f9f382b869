package dev.mainstay.app.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.serve.AdminRoutes;
import dev.mainstay.app.serve.Agents;
import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Simulated providers, a ledger of its own and the gateway between them, all on the real wire.
 * Closing it takes the ledger away again.
 */
final class DemoEnvironment implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(2);

  private final Path store;
  private final Simulator simulator;
  private final DemoTools desk;
  private final Ledger ledger;
  private final Gateway gateway;
  private final Agents agents;
  private final AdminRoutes routes;

  private DemoEnvironment(
      Path store,
      Simulator simulator,
      DemoTools desk,
      Ledger ledger,
      Agents agents,
      AdminRoutes routes,
      Gateway gateway) {
    this.agents = agents;
    this.routes = routes;
    this.store = store;
    this.simulator = simulator;
    this.desk = desk;
    this.ledger = ledger;
    this.gateway = gateway;
  }

  /** On {@code port}, or a free one where it is 0. */
  static DemoEnvironment start(int port) {
    try {
      var store = Files.createTempDirectory("mainstay-demo");
      var simulator = Simulator.start();
      var desk = DemoTools.open();
      var ledger = SqliteLedger.open(LedgerConfig.in(store), InstantSource.system());
      var config = config(store, simulator, desk).withPort(port);
      var agents = new Agents(ledger, Redactor.NONE);
      var routes = new AdminRoutes(agents, file(store));
      try {
        return new DemoEnvironment(
            store,
            simulator,
            desk,
            ledger,
            agents,
            routes,
            Gateway.start(
                config, ledger.recorder(), ledger.reader(), ledger.state(), routes::start));
      } catch (IOException | RuntimeException e) {
        agents.close();
        ledger.close();
        desk.close();
        simulator.close();
        delete(store);
        throw e;
      }
    } catch (IOException e) {
      throw new FailedException("the demo cannot start: " + e.getMessage(), e);
    }
  }

  private static Config config(Path store, Simulator simulator, DemoTools desk) throws IOException {
    try (var in = DemoEnvironment.class.getResourceAsStream("demo.yaml")) {
      if (in == null) {
        throw new IllegalStateException("demo.yaml is missing");
      }
      var yaml =
          new String(in.readAllBytes(), UTF_8)
              .replace("${DEMO_STORE}", store.toString())
              .replace("${DEMO_SIMULATOR}", simulator.url())
              .replace("${DEMO_DESK}", desk.url());
      // A self-test reads it in a process of its own.
      Files.writeString(file(store), yaml);
      return ConfigLoader.parse(yaml, "demo.yaml", Map.of());
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path file(Path store) {
    return store.resolve("demo.yaml");
  }

  /** Sets what the providers do from now on, from its first step. */
  void play(Script script) {
    simulator.script(script);
    simulator.clearLog();
  }

  /** How many requests have reached the providers since {@link #play}. */
  int requests() {
    return simulator.log().size();
  }

  /** Where a client of Mainstay points its SDK. */
  String url() {
    return address() + "/v1";
  }

  /** Where Mainstay is. */
  String address() {
    return "http://127.0.0.1:" + gateway.port();
  }

  /** Where a client without Mainstay points its SDK. */
  String url(String provider) {
    return "%s/%s/v1".formatted(simulator.url(), provider);
  }

  Path store() {
    return store;
  }

  /**
   * What is on record of a call whose answer has been read. The gateway hands it over when the last
   * byte has left, which the client may see first.
   */
  @Nullable StoredCall recorded(String call) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      ledger.recorder().flush(PATIENCE);
      var stored = ledger.reader().call(call);
      if (stored != null || System.nanoTime() - until > 0) {
        return stored;
      }
      Thread.sleep(LOOK_AGAIN);
    }
  }

  @Override
  public void close() {
    routes.close();
    agents.close();
    gateway.close();
    ledger.close();
    desk.close();
    simulator.close();
    delete(store);
  }

  private static void delete(Path directory) {
    try (var paths = Files.walk(directory)) {
      for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      // A folder for temporary files that keeps a few of them does no harm.
    }
  }
}
