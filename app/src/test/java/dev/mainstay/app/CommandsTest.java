package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class CommandsTest {
  @TempDir Path directory;

  static Stream<List<String>> commands() {
    var all = new ArrayList<List<String>>();
    collect(Commands.commandLine(Writer.nullWriter(), Writer.nullWriter()), List.of(), all);
    return all.stream();
  }

  private static void collect(CommandLine command, List<String> path, List<List<String>> into) {
    into.add(path);
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> {
              if (!name.equals("help")) {
                var longer = new ArrayList<>(path);
                longer.add(name);
                collect(sub, longer, into);
              }
            });
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandExplainsItself(List<String> command) {
    var arguments = new ArrayList<>(command);
    arguments.add("--help");
    var run = Run.of(arguments.toArray(String[]::new));
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .startsWith(
            "Usage: "
                + String.join(" ", Stream.concat(Stream.of("mainstay"), command.stream()).toList()))
        .contains("--help");
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"serve, 65536", "serve, -1", "serve, x", "simulate, 65536", "demo, 99999"})
  void aPortThatThereIsNotIsBadUsage(String command, String port) {
    var run = Run.of(command, "--port=" + port);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("'" + port + "' is not 0 to 65535");
  }

  @Test
  void saysItsVersion() {
    var run = Run.of("--version");
    assertThat(run.code()).isZero();
    assertThat(run.out()).matches("(?s)mainstay \\d+\\.\\d+\\.\\d+.*java 2\\d.*");
  }

  @Test
  void badUsageIsExitCode2AndSaysWhatWouldBeRight() {
    var run = Run.of("srve");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("srve", "Did you mean", "serve");
    assertThat(Run.of("calls").err()).contains("calls ls");
    assertThat(Run.of("calls", "ls", "--limit", "0").err())
        .contains("limit is not 0; allowed: 1 to 1000");
    assertThat(Run.of("calls", "ls", "--limit", "0").code()).isEqualTo(2);
    assertThat(Run.of("serve", "--port", "x").code()).isEqualTo(2);
  }

  @Test
  void aFailureIsExitCode1AndOneLine() {
    var run = Run.of("calls", "ls", "--store", directory.resolve("none").toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).contains("nothing was recorded there yet");
  }

  @Test
  void configCheckSaysEveryMistakeWithItsLine() throws Exception {
    var file = directory.resolve("bad.yaml");
    Files.writeString(file, "server:\n  port: many\nprovidres: {}\n");
    var run = Run.of("config", "check", file.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("line 2, server.port", "line 3", "providres", "allowed:");
  }

  @Test
  void configCheckSaysWhatItFoundInAGoodFile() throws Exception {
    var file = directory.resolve("good.yaml");
    Files.writeString(
        file,
        """
        providers:
          local: { dialect: openai, base-url: "http://127.0.0.1:1/v1" }
        models:
          assistant: { targets: [local/llama] }
        """);
    var run = Run.of("config", "check", file.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("can be used: 1 provider, 1 model");
  }

  @Test
  void aScriptWithAMistakeIsExitCode2() throws Exception {
    var file = directory.resolve("script.yaml");
    Files.writeString(file, "models:\n  gpt-4o: [ { status: many } ]\n");
    var run = Run.of("simulate", "--script", file.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("script.yaml", "status");
    assertThat(Run.of("simulate", "--script", directory.resolve("none").toString()).code())
        .isEqualTo(2);
  }
}
