package dev.mainstay.config;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no configuration cost little, and the message names the line. */
@Timeout(180)
final class HostileConfigTest {
  @TempDir private Path folder = Path.of("");

  private static String problem(Path file) {
    return catchThrowableOfType(
            ConfigException.class, () -> ConfigLoader.load(file, Map.of("KEY", "a\nb")))
        .problems()
        .stream()
        .map(Problem::toString)
        .collect(joining("\n"));
  }

  private Path write(byte[] content) throws IOException {
    return Files.write(folder.resolve("mainstay.yaml"), content);
  }

  static Stream<Arguments> documents() {
    var laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 20; i++) {
      laughs.append("a%d: &a%d [".formatted(i, i));
      laughs.append(("*a" + (i - 1) + ", ").repeat(9)).append("x]\n");
    }
    var chain = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 5000; i++) {
      chain.append("a%d: &a%d [*a%d]\n".formatted(i, i, i - 1));
    }
    return Stream.of(
        Arguments.of("[".repeat(1_000_000), ":1: ", "more than 100 nested levels"),
        Arguments.of(
            "server:\n  x: " + "{a: ".repeat(200_000), ":2: ", "more than 100 nested levels"),
        Arguments.of("\n\n" + "- ".repeat(400_000), ":3: ", "more than 100 nested levels"),
        Arguments.of(laughs.toString(), ":7: ", "more than 1000000 values"),
        Arguments.of(chain.toString(), ":99: ", "more than 100 nested levels"),
        Arguments.of("a: 1\nb: &b [*b]\n", ":2: ", "an alias without an anchor before it"),
        Arguments.of("a: 1\nb: *c\n", ":2: ", "an alias without an anchor before it"),
        Arguments.of("a: 1\nb: \"\u0007\"\n", ":2: ", "the character U+0007"));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void aDocumentWithoutBoundsIsRefusedAtItsLine(String yaml, String line, String found)
      throws IOException {
    var file = write(yaml.getBytes(StandardCharsets.UTF_8));
    assertThat(problem(file)).contains("mainstay.yaml" + line).contains("found " + found);
  }

  @Test
  void bytesThatAreNoTextAreRefusedAtTheirLine() throws IOException {
    assertThat(problem(write(new byte[] {'a', ':', '\n', '\n', (byte) 0xC3, '(', '\n'})))
        .contains("mainstay.yaml:3: ")
        .contains("found bytes that are not UTF-8");
  }

  @Test
  void whatIsNoRegularFileIsNotOpened() throws Exception {
    assertThat(problem(folder)).contains("which is a directory");
    var pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(problem(pipe)).contains("found a pipe or a device");
    assertThat(problem(Path.of("/dev/zero"))).contains("found a pipe or a device");
  }

  @Test
  void noMoreOfALargeFileIsReadThanAConfigurationMayHave() throws IOException {
    var file = folder.resolve("large.yaml");
    try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(8L << 30);
    }
    assertThat(problem(file)).contains("a file of more than 4 MiB");
  }

  @ParameterizedTest
  @ValueSource(strings = {"schlüssel", "a b", " a", "a\\tb", "a\\u0000b", "a\\x7f", "${KEY}", "🔑"})
  void aKeyThatNoHeaderCanCarryIsRefused(String key) throws IOException {
    var yaml =
        """
        admin: { token: "%s" }
        providers:
          one: { dialect: openai, base-url: "https://a/v1", keys: ["x%s"] }
        clients:
          - { name: team, key: "%s" }
        """
            .formatted(key, key, key);
    assertThat(problem(write(yaml.getBytes(StandardCharsets.UTF_8))))
        .contains("mainstay.yaml:1: admin.token: found a value that no header can carry")
        .contains("mainstay.yaml:3: providers.one.keys[0]: found a value that no header can carry")
        .contains("mainstay.yaml:5: clients[0].key: found a value that no header can carry")
        .doesNotContain("schl", "🔑");
  }
}
