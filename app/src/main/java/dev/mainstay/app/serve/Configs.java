package dev.mainstay.app.serve;

import dev.mainstay.app.UsageException;
import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.config.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Configurations as commands read them: every mistake said at once, exit code 2. */
public final class Configs {
  private Configs() {}

  /**
   * Loads {@code file}, or what the usual key variables say where it is null.
   *
   * @throws UsageException with every mistake in it
   */
  public static Config load(@Nullable Path file, Map<String, String> environment) {
    try {
      return file == null
          ? ConfigLoader.fromEnvironment(environment)
          : ConfigLoader.load(file, environment);
    } catch (ConfigException e) {
      throw mistakes(file, e.problems());
    }
  }

  static UsageException mistakes(@Nullable Path file, List<Problem> problems) {
    return new UsageException("%s%n%s".formatted(headline(file, problems), lines(problems)));
  }

  private static String headline(@Nullable Path file, List<Problem> problems) {
    var mistakes = problems.size() == 1 ? "1 mistake" : problems.size() + " mistakes";
    return file == null ? "there is nothing to serve yet" : "%s in %s".formatted(mistakes, file);
  }

  static String lines(List<Problem> problems) {
    return problems.stream()
        .map(
            problem ->
                "  %s%s: found %s%n      allowed: %s"
                    .formatted(
                        problem.line() > 0 ? "line " + problem.line() + ", " : "",
                        problem.path(),
                        problem.found(),
                        problem.allowed()))
        .collect(Collectors.joining(System.lineSeparator()));
  }
}
