package dev.mainstay.bench.store;

import dev.mainstay.simulator.Simulator;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What whole gateways on one store answer, and what processor time a call costs them and the
 * database. On a machine of few cores the gateways take them from each other, from the load and
 * from the database: the processor time of a call says more than calls a second.
 */
public final class GatewaysBench {
  private static final int CLIENTS = 32;
  private static final int CALLS = 4_000;
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Path directory;
  private final String jar;
  private final Simulator simulator;
  private final AtomicInteger keys = new AtomicInteger();

  private GatewaysBench(Path directory, String jar, Simulator simulator) {
    this.directory = directory;
    this.jar = jar;
    this.simulator = simulator;
  }

  /**
   * @param arguments none, or the jar to run
   */
  public static void main(String[] arguments) throws Exception {
    var jar = arguments.length > 0 ? arguments[0] : "app/target/mainstay.jar";
    var directory = Files.createTempDirectory("mainstay-bench");
    var data = directory.resolve("postgres");
    System.out.println(
        "| store | gateways | calls/s | gateways' CPU a call | database's CPU a call | calls with a"
            + " key/s | gateways' CPU | database's CPU |");
    System.out.println("|---|---|---|---|---|---|---|---|");
    try (var simulator = Simulator.start();
        var server =
            EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .start()) {
      var bench = new GatewaysBench(directory, jar, simulator);
      var url = server.getJdbcUrl("postgres", "postgres");
      long postmaster = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
      bench.row("embedded", 1, directory.resolve("store").toString(), List.of());
      var database = List.of(ProcessHandle.of(postmaster).orElseThrow());
      bench.row("PostgreSQL", 1, url, database);
      bench.row("PostgreSQL", 3, url, database);
    }
  }

  private void row(String store, int count, String url, List<ProcessHandle> database)
      throws Exception {
    var gateways = new ArrayList<Process>();
    try {
      var addresses = new ArrayList<URI>();
      for (int i = 0; i < count; i++) {
        var gateway = start(url);
        gateways.add(gateway);
        addresses.add(address(gateway));
      }
      var handles = gateways.stream().map(Process::toHandle).toList();
      load(addresses, CALLS * count, false);
      load(addresses, CALLS * count / 2, true);
      var plain = measured(addresses, false, handles, database);
      var keyed = measured(addresses, true, handles, database);
      System.out.printf(Locale.ROOT, "| %s | %d | %s | %s |%n", store, count, plain, keyed);
    } finally {
      for (var gateway : gateways) {
        gateway.destroy();
        gateway.waitFor();
      }
    }
  }

  private Process start(String url) throws IOException {
    var config = directory.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        store: { url: "%s", spool: "%s" }
        providers:
          openai: { dialect: openai, base-url: "%s", keys: [sk-test] }
        models:
          assistant: { targets: [openai/gpt-4o] }
        """
            .formatted(url, directory.resolve("spool"), simulator.openAiUrl()));
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            java,
            "-XX:+UseSerialGC",
            "-Xmx512m",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-jar",
            jar,
            "serve",
            "--config",
            config.toString(),
            "--port",
            "0")
        .redirectErrorStream(true)
        .start();
  }

  private static URI address(Process gateway) throws IOException {
    var out = gateway.inputReader();
    for (var line = out.readLine(); line != null; line = out.readLine()) {
      var found = ADDRESS.matcher(line);
      if (found.find()) {
        Thread.ofVirtual().start(() -> drain(out));
        return URI.create(found.group() + "/v1/chat/completions");
      }
    }
    throw new IllegalStateException("the gateway ended before it served");
  }

  /** So that a gateway never waits for who reads what it says. */
  private static void drain(Reader out) {
    try (out) {
      out.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // It has ended.
    }
  }

  /** Calls a second, and the milliseconds of gateways and database for one. */
  private String measured(
      List<URI> to, boolean keyed, List<ProcessHandle> gateways, List<ProcessHandle> database)
      throws Exception {
    var before = cpu(gateways);
    var databaseBefore = cpu(database);
    long began = System.nanoTime();
    load(to, CALLS, keyed);
    double seconds = (System.nanoTime() - began) / 1e9;
    return String.format(
        Locale.ROOT,
        "%,.0f | %.2f ms | %s",
        CALLS / seconds,
        milliseconds(cpu(gateways).minus(before)),
        database.isEmpty()
            ? "-"
            : "%.2f ms".formatted(milliseconds(cpu(database).minus(databaseBefore))));
  }

  private static double milliseconds(Duration of) {
    return of.toNanos() / 1e6 / CALLS;
  }

  private static Duration cpu(List<ProcessHandle> of) {
    return of.stream()
        .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()))
        .flatMap(each -> each.info().totalCpuDuration().stream())
        .reduce(Duration.ZERO, Duration::plus);
  }

  private void load(List<URI> to, int calls, boolean keyed) throws Exception {
    var tasks = new ArrayList<Callable<Boolean>>();
    for (int i = 0; i < CLIENTS; i++) {
      var uri = to.get(i % to.size());
      tasks.add(
          () -> {
            for (int n = 0; n < calls / CLIENTS; n++) {
              call(uri, keyed);
            }
            return true;
          });
    }
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var each : clients.invokeAll(tasks)) {
        each.get();
      }
    }
  }

  private void call(URI to, boolean keyed) throws IOException, InterruptedException {
    int number = keys.incrementAndGet();
    var request =
        HttpRequest.newBuilder(to)
            .header("content-type", "application/json")
            .POST(
                BodyPublishers.ofString(
                    """
                    {"model":"assistant","messages":[{"role":"user","content":"call %d"}]}\
                    """
                        .formatted(number)));
    if (keyed) {
      request.header("idempotency-key", "key-" + number);
    }
    var answer = HTTP.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(answer.body());
    }
  }
}
