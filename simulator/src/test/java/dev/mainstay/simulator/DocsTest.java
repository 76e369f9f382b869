package dev.mainstay.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page is true: its script can be read, and the fields it lists are those that there are. */
class DocsTest {
  private static String page() throws IOException {
    return Files.readString(Path.of("..", "docs", "simulator.md"));
  }

  @Test
  void itsScriptCanBeRead() throws IOException {
    var block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(page());
    assertThat(block.find()).isTrue();
    var script = Script.parse(block.group(1));
    assertThat(script.models()).containsOnlyKeys("gpt-4o", "backup/gpt-4o", "*");
    var model = Objects.requireNonNull(script.models().get("gpt-4o"));
    assertThat(model.steps()).hasSize(4);
    assertThat(model.repeat()).isTrue();
  }

  @Test
  void itNamesEveryFieldOfAStep() throws IOException {
    String page = page();
    assertThat(ScriptReader.STEP)
        .allSatisfy(
            field -> assertThat(page).containsPattern("`" + field + "[:`]|[,{] " + field + "[:,]"));
  }
}
