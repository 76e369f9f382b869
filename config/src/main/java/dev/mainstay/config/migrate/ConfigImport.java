package dev.mainstay.config.migrate;

import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.config.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Imports the configuration of another gateway: LiteLLM's YAML or Portkey's JSON. Stateless. */
public final class ConfigImport {
  private ConfigImport() {}

  /**
   * Writes Mainstay's configuration for {@code file}; what has no counterpart is listed as comments
   * at its end.
   *
   * @throws ConfigException when the file cannot be read or is no configuration of either
   */
  public static String read(Path file) throws ConfigException {
    var text = new String(ConfigLoader.bytes(file), StandardCharsets.UTF_8);
    return read(text, file.toString());
  }

  /** As {@link #read(Path)}, of a file's text. */
  static String read(String text, String name) throws ConfigException {
    Given given;
    try {
      given =
          new Given(new Load(LoadSettings.builder().setLabel(name).build()).loadFromString(text));
    } catch (YamlEngineException e) {
      throw new ConfigException(
          List.of(new Problem(name, 0, "(syntax)", "text that is not YAML", "valid YAML or JSON")));
    }
    if (LiteLlmImport.isOne(given)) {
      return LiteLlmImport.read(given).yaml(name);
    }
    if (PortkeyImport.isOne(given)) {
      return PortkeyImport.read(given).yaml(name);
    }
    throw new ConfigException(
        List.of(
            new Problem(
                name,
                0,
                "(file)",
                "neither model_list nor targets nor provider",
                "LiteLLM's config.yaml or a Portkey config object")));
  }
}
