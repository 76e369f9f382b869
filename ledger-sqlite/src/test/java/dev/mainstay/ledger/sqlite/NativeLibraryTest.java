package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.JDBC;

/** A driver in a folder of its own, in processes that have nowhere to unpack anything. */
class NativeLibraryTest {
  private static final String WORKS = "the ledger works";

  @TempDir Path directory;

  /** Unpacks the library, or opens a ledger and says so. */
  static final class Child {
    public static void main(String[] arguments) throws Exception {
      if (arguments[0].equals("unpack")) {
        NativeLibrary.unpack();
      } else {
        SqliteLedger.open(Fixtures.in(Path.of(arguments[1])), InstantSource.system()).close();
        System.out.println(WORKS);
      }
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void whatWasUnpackedOnceIsTakenFromThere() throws Exception {
    var driver = Path.of(JDBC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var jar = Files.copy(driver, directory.resolve("sqlite-jdbc-3.jar"));

    assertThat(run(jar, "open", directory.resolve("before").toString()))
        .as("it cannot be unpacked, and is nowhere")
        .doesNotContain(WORKS);
    var said = run(jar, "unpack");
    try (var unpacked = Files.list(directory.resolve("sqlite-jdbc-3"))) {
      assertThat(unpacked).as("the library and nothing else; it said: %s", said).hasSize(1);
    }
    assertThat(run(jar, "open", directory.resolve("after").toString())).contains(WORKS);
  }

  private String run(Path jar, String... arguments) throws Exception {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + directory.resolve("none"),
                "-cp",
                jar + File.pathSeparator + System.getProperty("java.class.path"),
                Child.class.getName()));
    command.addAll(List.of(arguments));
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var out = process.getInputStream()) {
      return new String(out.readAllBytes(), UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }
}
