package dev.mainstay.app;

import dev.mainstay.app.terminal.Style;
import dev.mainstay.config.UnreadableFile;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mainstay simulate}. */
@Command(
    name = "simulate",
    description = {
      "Starts simulated providers. They speak the real providers' dialects and fail on command.",
      "They accept any key and any model, unless the script says otherwise."
    })
public final class SimulateCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "N",
      converter = PortOption.class,
      defaultValue = "8485",
      description = "The port; 0 takes a free port. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--script",
      paramLabel = "FILE",
      description = "A YAML file of the faults to play. Without it the providers do not fail.")
  private @Nullable Path script;

  @Override
  public void run() {
    var out = spec.commandLine().getOut();
    var style = Style.detected();
    try (var simulator = Simulator.start(port, read(script))) {
      Runtime.getRuntime().addShutdownHook(new Thread(simulator::close, "mainstay-stop"));
      out.println(style.bold("Simulated providers are ready on " + simulator.url()));
      out.println();
      out.println("  OpenAI      base URL " + style.accent(simulator.openAiUrl()));
      out.println("  others      base URL " + style.accent(simulator.url()));
      out.println("  script      " + (script == null ? "none: the providers do not fail" : script));
      out.flush();
      new CountDownLatch(1).await();
    } catch (IOException e) {
      throw new FailedException(
          "the simulator %s: start with --port N".formatted(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Script read(@Nullable Path file) {
    if (file == null) {
      return Script.EMPTY;
    }
    try {
      return Script.parse(Files.readString(file));
    } catch (IOException e) {
      throw new UsageException("found " + UnreadableFile.what(file, e));
    } catch (IllegalArgumentException e) {
      throw new UsageException("%s: %s".formatted(file, e.getMessage()));
    }
  }
}
