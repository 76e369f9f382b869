package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The short way around picocli, beside picocli. */
class ServeTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve",
        "serve --config mainstay.yaml",
        "serve --config /etc/mainstay/mainstay.yaml --port 0 --log-format json",
        "serve --port 8484 --config ../a,b=c.yaml",
        "serve --port 65535",
        "serve --port 007",
        "serve --log-format TEXT",
        "serve --log-format Json --port 1",
      })
  void aPlainCommandLineIsReadAsPicocliReadsIt(String line) {
    var arguments = line.split(" ");
    var command = new ServeCommand();
    new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(Arrays.copyOfRange(arguments, 1, arguments.length));
    assertThat(Serve.plain(arguments)).isNotNull().isEqualTo(command.asked());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "demo",
        "demo --port 1",
        "help serve",
        "serve --help",
        "serve --config",
        "serve --config --port",
        "serve --config @file",
        "serve --config=mainstay.yaml",
        "serve --config a --config b",
        "serve --port 1 --port 1",
        "serve --port x",
        "serve --port -1",
        "serve --port 65536",
        "serve --port 123456",
        "serve --log-format xml",
        "serve --prot 1",
        "serve mainstay.yaml",
        "serve mainstay.yaml other.yaml",
      })
  void whateverElseIsSaidIsForPicocli(String line) {
    assertThat(Serve.plain(line.split(" "))).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--config", "--port"})
  void anEmptyValueIsForPicocli(String option) {
    assertThat(Serve.plain("serve", option, "")).isNull();
  }
}
