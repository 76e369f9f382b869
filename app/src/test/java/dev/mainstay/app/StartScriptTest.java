package dev.mainstay.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The start scripts of a checkout and of an archive, with a JVM that starts and prints its heap.
 */
@Timeout(300)
final class StartScriptTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path folder = Path.of("");
  private Path home = Path.of("");

  @BeforeEach
  void aFolderWithASpaceInItsName() throws IOException {
    home = Files.createDirectory(folder.resolve("a folder"));
  }

  /** A script that stands for java: starts the real one with the same options, for its settings. */
  private void install() throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    Files.createDirectories(home.resolve("jdk/bin"));
    Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
    script(home.resolve("jdk/bin/javac"), "exit 0");
    script(
        home.resolve("jdk/bin/java"),
        "until [ \"$1\" = -jar ]; do set -- \"$@\" \"$1\"; shift; done",
        "shift 3",
        "exec \"" + java + "\" \"$@\" -XX:+PrintFlagsFinal -version");
    Files.createDirectories(home.resolve(".mvn"));
    Files.copy(PROJECT.resolve(".mvn/jdk.sh"), home.resolve(".mvn/jdk.sh"));
    Files.createDirectories(home.resolve("app/target"));
    Files.createFile(home.resolve("app/target/mainstay.jar"));
    Files.createFile(home.resolve("mainstay.jar"));
    for (var folder : List.of(home, Files.createDirectories(home.resolve("app/src/dist")))) {
      Files.copy(PROJECT.resolve("app/src/dist/serve.jvm"), folder.resolve("serve.jvm"));
    }
  }

  private static void script(Path file, String... lines) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private String start(String script, String command, String options) throws Exception {
    return start(script, command, options, Map.of("MAINSTAY_NO_AOT", "1"));
  }

  private String start(String script, String command, String options, Map<String, String> more)
      throws Exception {
    var file = home.resolve("mainstay");
    Files.copy(PROJECT.resolve(script), file, StandardCopyOption.REPLACE_EXISTING);
    var builder = new ProcessBuilder(List.of("sh", file.toString(), command));
    var environment = builder.environment();
    environment.put("JAVA_HOME", home.resolve("jdk").toString());
    environment.put("MAINSTAY_NO_BUILD", "1");
    environment.remove("MAINSTAY_NO_AOT");
    environment.put("MAINSTAY_JAVA_OPTS", options);
    environment.putAll(more);
    var process = builder.redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @ParameterizedTest
  @CsvSource({
    "serve, -Xmx8m, 8",
    "serve, -Xmx63m, 64",
    "serve, -Xmx4g, 4096",
    "serve, -XX:MaxHeapSize=16m, 16",
    "serve, -Xms1g -Xmx1g, 1024",
    "serve, -Dx=y -Xmx32m, 32",
    "serve, -Dx=y, 512",
    "serve, '', 512",
    "classify, -Xmx8m, 8",
    "classify, '', 256"
  })
  void theJvmStartsWithAnyHeap(String command, String options, int mebibytes) throws Exception {
    for (var script : List.of("mainstay", "app/src/dist/mainstay")) {
      if (!Files.exists(home.resolve("jdk"))) {
        install();
      }
      var said = start(script, command, options);
      assertThat(said.lines().filter(line -> line.matches(".* UseG1GC .*true.*")))
          .hasSize(command.equals("serve") ? 1 : 0);
      var max = said.lines().filter(line -> line.contains(" MaxHeapSize ")).findFirst();
      assertThat(max.orElse("").split("\\s+")).contains(Long.toString((long) mebibytes << 20));
    }
  }

  /**
   * A script that stands for java: makes the cache that the launcher asks for, else says its
   * options once what is awaited holds.
   */
  private void installWithCache(String whileItIsMade, String awaited) throws IOException {
    install();
    script(
        home.resolve("jdk/bin/java"),
        "options=$*",
        "until [ \"$1\" = -jar ]; do shift; done",
        "if [ \"$3\" = rehearse ]; then " + whileItIsMade + "; echo classes >\"$5\"; exit; fi",
        "until [ " + awaited + " ]; do sleep 0.02; done",
        "echo \"$options\"");
    Files.createDirectories(library().getParent());
    Files.createFile(library());
    dated(120, home.resolve("app/target/mainstay.jar"), library());
  }

  private Path cache() {
    return home.resolve("app/target/mainstay.aot");
  }

  private Path library() {
    return home.resolve("app/target/lib/core.jar");
  }

  private static void dated(int minutesAgo, Path... files) throws IOException {
    for (var file : files) {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(minutesAgo * 60L)));
    }
  }

  private String startWithCache(String script) throws Exception {
    return start(script, "serve", "", Map.of());
  }

  @Test
  void aCacheThatIsOlderThanAnyJarIsMadeAgain() throws Exception {
    installWithCache(":", "'" + cache() + "' -nt '" + library() + "'");
    assertThat(startWithCache("mainstay")).doesNotContain("AOTCache");
    assertThat(startWithCache("mainstay")).contains("-XX:AOTCache=" + cache().toRealPath());

    dated(60, cache(), home.resolve(".mainstay/training/started"));
    dated(30, library());
    assertThat(startWithCache("mainstay")).doesNotContain("AOTCache");
    assertThat(startWithCache("mainstay")).contains("-XX:AOTCache=" + cache().toRealPath());
  }

  @Test
  void aCacheOfJarsThatChangedWhileItWasMadeIsNotUsed() throws Exception {
    installWithCache("touch -t 203701010000 '" + library() + "'", "-s '" + cache() + "'");
    assertThat(startWithCache("mainstay")).doesNotContain("AOTCache");
    assertThat(start("mainstay", "serve", "")).doesNotContain("AOTCache");
  }

  @Test
  void aMakingThatWasKilledIsBegunAgain() throws Exception {
    installWithCache(":", "-s '" + cache() + "'");
    var killed = new ProcessBuilder("true").start();
    assertThat(killed.waitFor()).isZero();
    var training = Files.createDirectories(home.resolve(".mainstay/training"));
    Files.createFile(training.resolve("started"));
    Files.writeString(training.resolve("pid"), Long.toString(killed.pid()));
    assertThat(startWithCache("mainstay")).doesNotContain("AOTCache");
    assertThat(startWithCache("mainstay")).contains("-XX:AOTCache=" + cache().toRealPath());
  }

  @Test
  void aMakingThatFailedIsNotBegunAgain() throws Exception {
    var makings = home.resolve("makings");
    var ended = home.resolve(".mainstay/training/ended");
    installWithCache("echo 1 >>'" + makings + "'; exit 1", "-f '" + ended + "'");
    for (int i = 0; i < 3; i++) {
      assertThat(startWithCache("mainstay")).doesNotContain("AOTCache");
    }
    assertThat(makings).hasContent("1");
  }

  @Test
  void theArchiveUsesNoCacheThatIsOlderThanAJar() throws Exception {
    installWithCache(":", "1");
    var cache = Files.writeString(home.resolve("mainstay.aot"), "classes");
    var jar = Files.createFile(Files.createDirectory(home.resolve("lib")).resolve("core.jar"));
    dated(60, home.resolve("mainstay.jar"), jar);
    dated(30, cache);
    assertThat(startWithCache("app/src/dist/mainstay"))
        .contains("-XX:AOTCache=" + cache.toRealPath());
    dated(0, jar);
    assertThat(startWithCache("app/src/dist/mainstay")).doesNotContain("AOTCache");
  }

  @Test
  void aFirstSizeAloneIsEnough() throws Exception {
    install();
    assertThat(start("mainstay", "serve", "-Xms600m")).contains("MaxHeapSize");
  }
}
