package dev.mainstay.app.serve;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.PortOption;
import dev.mainstay.app.log.LogSetup;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.call.redact.Redaction;
import dev.mainstay.config.Config;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.gateway.Reloader;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.Redactor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The gateway as it was asked for.
 *
 * @param file the configuration; null: what the environment's keys say
 * @param port whatever the configuration says; null: what it says
 * @param logFormat null: what the environment says
 */
public record Serve(@Nullable Path file, @Nullable Integer port, @Nullable LogFormat logFormat) {
  /** How the log is written. */
  public enum LogFormat {
    TEXT,
    JSON
  }

  /**
   * Reads a plain command line without picocli, whose classes are too old for the AOT cache:
   * loading them would be a third of all that a start does.
   *
   * @return null where {@code arguments} are anything but {@code serve} with each option at most
   *     once and a value that picocli takes as it is; what they are then, it knows
   */
  public static @Nullable Serve plain(String... arguments) {
    if (arguments.length % 2 == 0 || !arguments[0].equals("serve")) {
      return null;
    }
    Path file = null;
    Integer port = null;
    LogFormat logFormat = null;
    for (int i = 1; i < arguments.length; i += 2) {
      var value = arguments[i + 1];
      if (arguments[i].equals("--config") && file == null && isPlain(value)) {
        file = Path.of(value);
      } else if (arguments[i].equals("--port") && port == null && isPort(value)) {
        port = Integer.valueOf(value);
      } else if (arguments[i].equals("--log-format") && logFormat == null && isFormat(value)) {
        logFormat = LogFormat.valueOf(value.toUpperCase(Locale.ROOT));
      } else {
        return null;
      }
    }
    return new Serve(file, port, logFormat);
  }

  /** Neither an option nor the name of a file with arguments. */
  private static boolean isPlain(String value) {
    return !value.isEmpty() && "-@".indexOf(value.charAt(0)) < 0;
  }

  private static boolean isPort(String value) {
    return value.matches("[0-9]{1,5}") && Integer.parseInt(value) <= PortOption.MAX;
  }

  private static boolean isFormat(String value) {
    return value.equalsIgnoreCase("text") || value.equalsIgnoreCase("json");
  }

  /** Serves until the process is told to stop, and says on {@code out} that it does. */
  public void run(PrintWriter out) {
    if (logFormat == LogFormat.JSON) {
      LogSetup.json();
    }
    var config = Configs.load(file, System.getenv());
    if (port != null) {
      config = config.withPort(port);
    }
    var redactor = new LiveRedactor(Redaction.of(config.recording().redact()));
    var text = new LiveText(config.recording().search(), System::nanoTime);
    var ledger = Ledgers.open(config, redactor, text);
    var agents = new Agents(ledger, redactor);
    var gateway = start(config, ledger, agents);
    // Behind the start, not before it: a call that succeeds needs no rule.
    Thread.ofPlatform().daemon().name("mainstay-rules").start(gateway::readRules);
    if (file != null) {
      var fixed = port;
      Reloader.watch(
          gateway,
          file,
          System.getenv(),
          now -> {
            redactor.now = Redaction.of(now.recording().redact());
            text.kept = now.recording().search();
            return fixed == null ? now : now.withPort(fixed);
          });
    }
    var stopped = stopOnSignal(config, gateway, agents, ledger);
    Banner.print(config, address(config, gateway.port()), out, Style.detected());
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** By the rules of the newest configuration. */
  private static final class LiveRedactor implements Redactor {
    volatile Redactor now;

    LiveRedactor(Redactor first) {
      now = first;
    }

    @Override
    public byte[] body(byte[] bytes) {
      return now.body(bytes);
    }

    @Override
    public String facts(String json) {
      return now.facts(json);
    }
  }

  private Gateway start(Config config, Ledger ledger, Agents agents) {
    var routes = new AdminRoutes(agents, file);
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(routes::close));
    try {
      return Gateway.start(
          config, ledger.recorder(), ledger.reader(), ledger.state(), routes::start);
    } catch (IOException | RuntimeException e) {
      agents.close();
      ledger.close();
      throw e instanceof IOException failed
          ? new FailedException(why(config, failed), failed)
          : (RuntimeException) e;
    }
  }

  private static String why(Config config, IOException e) {
    var server = config.server();
    return "the gateway %s%s"
        .formatted(
            e.getMessage(),
            server.port() == 0
                ? ""
                : ": if something else uses the port, stop it or start with --port N");
  }

  /** Requests that run may finish; then what they left is written, and the process ends. */
  private static CountDownLatch stopOnSignal(
      Config config, Gateway gateway, Agents agents, Ledger ledger) {
    var stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("mainstay-stop")
                .unstarted(
                    () -> {
                      stop(config.server().drain(), gateway, agents);
                      ledger.close();
                      stopped.countDown();
                    }));
    return stopped;
  }

  /** Steps of runs and requests of clients have the same time to end. */
  private static void stop(Duration drain, Gateway gateway, Agents agents) {
    agents.stop();
    try (var both = Executors.newVirtualThreadPerTaskExecutor()) {
      both.execute(() -> agents.close(drain));
      both.execute(() -> gateway.close(drain));
    }
  }

  private static String address(Config config, int port) {
    var host = config.server().host();
    var name = host.equals("0.0.0.0") || host.equals("::") ? "localhost" : host;
    return "%s://%s:%d"
        .formatted(
            config.server().tls() == null ? "http" : "https",
            name.indexOf(':') >= 0 ? "[" + name + "]" : name,
            port);
  }
}
