package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.gateway.config.Config;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigWatchTest {
  @TempDir Path directory;

  @Test
  void aChangedFileIsHandedOnAndOneWithMistakesIsNot() throws Exception {
    var file = directory.resolve("mainstay.yaml");
    Files.writeString(file, yaml("local/one"));
    var applied = new ArrayList<Config>();
    var watch = new ConfigWatch(file, Map.of(), applied::add);

    assertThat(watch.reloadIfChanged()).as("as it was at the start").isFalse();
    Files.writeString(file, yaml("local/another"));
    assertThat(watch.reloadIfChanged()).isTrue();
    assertThat(watch.reloadIfChanged()).isFalse();
    Files.writeString(file, "models: [");
    assertThat(watch.reloadIfChanged()).isTrue();
    Files.delete(file);
    assertThat(watch.reloadIfChanged()).as("while it is being replaced").isFalse();
    Files.writeString(file, yaml("local/the-third"));
    assertThat(watch.reloadIfChanged()).isTrue();

    assertThat(applied)
        .extracting(config -> config.models().values().iterator().next().targets())
        .extracting(targets -> targets.getFirst().target().toString())
        .containsExactly("local/another", "local/the-third");
  }

  private static String yaml(String target) {
    return """
        providers:
          local: { dialect: openai, base-url: "http://127.0.0.1:1/v1" }
        models:
          assistant: { targets: [%s] }
        """
        .formatted(target);
  }
}
