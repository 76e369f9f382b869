package dev.mainstay.app.serve;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.UsageException;
import dev.mainstay.app.log.LogSetup;
import dev.mainstay.app.terminal.Style;
import dev.mainstay.gateway.Gateway;
import dev.mainstay.gateway.Reloader;
import dev.mainstay.gateway.config.Config;
import dev.mainstay.gateway.redact.Redaction;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mainstay serve}. */
@Command(
    name = "serve",
    description = {
      "Starts the gateway.",
      "Without --config it serves every provider whose usual key variable is set: OPENAI_API_KEY,"
          + " ANTHROPIC_API_KEY, MISTRAL_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY."
    })
public final class ServeCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a YAML file.")
  private @Nullable Path file;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port, whatever the configuration says; 0 takes a free one.")
  private @Nullable Integer port;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description =
          "How the log is written: text, or json, an object a line. Default: what"
              + " MAINSTAY_LOG_FORMAT says, else text.")
  private @Nullable LogFormat logFormat;

  /** How the log is written. */
  enum LogFormat {
    TEXT,
    JSON
  }

  @Override
  public void run() {
    if (logFormat == LogFormat.JSON) {
      LogSetup.json();
    }
    var config = Configs.load(file, System.getenv());
    if (port != null) {
      if (port < 0 || port > 65535) {
        throw new UsageException("--port is %d, not 0 to 65535".formatted(port));
      }
      config = config.withPort(port);
    }
    var store = Path.of(config.store().url()).toAbsolutePath().normalize();
    var redactor = new LiveRedactor(Redaction.of(config.recording().redact()));
    var ledger = openLedger(config, store, redactor);
    var gateway = start(config, ledger);
    // Behind the start, not before it: a call that succeeds needs no rule.
    Thread.ofPlatform().daemon().name("mainstay-rules").start(Gateway::readRules);
    if (file != null) {
      var fixed = port;
      Reloader.watch(
          gateway,
          file,
          System.getenv(),
          now -> {
            redactor.now = Redaction.of(now.recording().redact());
            return fixed == null ? now : now.withPort(fixed);
          });
    }
    var stopped = stopOnSignal(config, gateway, ledger);
    Banner.print(
        config,
        address(config, gateway.port()),
        store,
        spec.commandLine().getOut(),
        Style.detected());
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

  private static Ledger openLedger(Config config, Path store, Redactor redactor) {
    var recording = config.recording();
    var defaults = LedgerConfig.in(store);
    return SqliteLedger.open(
        new LedgerConfig(
            store,
            recording.bodies(),
            recording.retention(),
            recording.maxBytes(),
            config.store().maxKept(),
            defaults.waitingBodyBytes(),
            defaults.waitingRecordBytes(),
            redactor),
        InstantSource.system());
  }

  private static Gateway start(Config config, Ledger ledger) {
    try {
      return Gateway.start(config, ledger.recorder(), ledger.reader(), ledger.state());
    } catch (IOException e) {
      ledger.close();
      throw new FailedException(why(config, e), e);
    } catch (RuntimeException e) {
      ledger.close();
      throw e;
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
  private static CountDownLatch stopOnSignal(Config config, Gateway gateway, Ledger ledger) {
    var stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("mainstay-stop")
                .unstarted(
                    () -> {
                      gateway.close(config.server().drain());
                      ledger.close();
                      stopped.countDown();
                    }));
    return stopped;
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
