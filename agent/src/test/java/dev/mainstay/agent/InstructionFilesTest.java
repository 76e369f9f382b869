package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InstructionFilesTest {
  @Test
  void aFileThatIsGoneStopsNoAgent(@TempDir Path folder) throws Exception {
    var file = Files.writeString(folder.resolve("refunds.md"), "First words.");
    var config =
        ConfigLoader.parse(
            """
            providers:
              a: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] }
            agents:
              refunds: { model: a/m, instructions: { file: "%s" } }
              other: { model: a/m }
            """
                .formatted(file),
            "c.yaml",
            Map.of());
    var files = InstructionFiles.of(config);
    Files.delete(file);
    assertThat(AgentDefinitions.of(config, files)).containsOnlyKeys("refunds", "other");
    assertThat(files.read(file)).isEqualTo("First words.");
    Files.writeString(file, "Second words.");
    assertThat(files.read(file)).isEqualTo("Second words.");
  }
}
