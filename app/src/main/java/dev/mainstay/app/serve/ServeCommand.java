package dev.mainstay.app.serve;

import dev.mainstay.app.PortOption;
import java.nio.file.Path;
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
      converter = PortOption.class,
      description = "The port, in place of the configured one; 0 takes a free port.")
  private @Nullable Integer port;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description =
          "The log's format: text, or json (one object per line). Default: MAINSTAY_LOG_FORMAT, or"
              + " else text.")
  private Serve.@Nullable LogFormat logFormat;

  @Override
  public void run() {
    asked().run(spec.commandLine().getOut());
  }

  /** What was asked, once picocli has read it. */
  Serve asked() {
    return new Serve(file, port, logFormat);
  }
}
