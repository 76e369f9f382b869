package dev.mainstay.app.export;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.UsageException;
import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.app.admin.GatewayOption;
import dev.mainstay.ledger.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code mainstay export}. */
@Command(
    name = "export",
    description = "Writes the calls, runs or evaluations of a gateway to a file.")
public final class ExportCommand implements Runnable {
  /** Rows that are asked for at once, and held. */
  private static final int PAGE = 500;

  @Spec private CommandSpec spec;
  @Mixin private GatewayOption gateway;

  @Parameters(paramLabel = "WHAT", description = "One of: ${COMPLETION-CANDIDATES}.")
  private Exported what;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "FILE",
      description =
          "The file. Its name ends in .jsonl, .csv or .parquet, which selects the format. The"
              + " export replaces an existing file once it is complete.")
  private Path to;

  @Option(
      names = "--where",
      paramLabel = "NAME=VALUE",
      description =
          "Export only rows that match a filter of the API's list, such as client=team-a,"
              + " model=assistant, status=failed or from=2026-11-01. You can repeat this option.")
  private Map<String, String> where = new LinkedHashMap<>();

  @Option(
      names = "--bodies",
      description =
          "Add the texts: request and response of calls; input, output and transcript of runs. The"
              + " token's account needs the role operator.")
  private boolean bodies;

  @Override
  public void run() {
    var format = format();
    if (bodies && what.bodies().isEmpty()) {
      throw new UsageException(what.wireName() + " have no bodies: leave out --bodies");
    }
    var part = to.resolveSibling(to.getFileName() + ".part");
    long rows;
    try (var client = gateway.usual()) {
      try {
        rows = write(client, format, part);
        Files.move(part, to, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw new FailedException("%s cannot be written: %s".formatted(to, e), e);
    }
    var out = spec.commandLine().getOut();
    out.printf("Wrote %d %s to %s.%n", rows, what.wireName(), to);
    out.flush();
  }

  private RowWriter.Format format() {
    var name = String.valueOf(to.getFileName()).toLowerCase(Locale.ROOT);
    for (var format : RowWriter.Format.values()) {
      if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
        return format;
      }
    }
    throw new UsageException(
        "--to %s: the file's name must end in %s"
            .formatted(
                to,
                Arrays.stream(RowWriter.Format.values())
                    .map(format -> "." + format.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "))));
  }

  private long write(AdminClient client, RowWriter.Format format, Path part) throws IOException {
    long rows = 0;
    try (var file =
            PrivateFiles.open(
                part,
                Set.of(
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE));
        var writer =
            format.open(
                new BufferedOutputStream(Channels.newOutputStream(file)),
                what,
                what.columns(bodies))) {
      String cursor = null;
      do {
        var page = client.get(path(cursor));
        if (page == null) {
          throw new FailedException("this gateway has no " + what.wireName());
        }
        for (var row : page.path(what.wireName())) {
          if (bodies) {
            what.addBodies((ObjectNode) row, client);
          }
          writer.write(row);
          rows++;
        }
        cursor = page.path("next").stringValue(null);
      } while (cursor != null);
    }
    return rows;
  }

  private String path(@Nullable String cursor) {
    return "/api/%s?limit=%d%s%s"
        .formatted(
            what.wireName(),
            PAGE,
            AdminClient.parameters(where),
            AdminClient.parameters(cursor == null ? Map.of() : Map.of("cursor", cursor)));
  }
}
