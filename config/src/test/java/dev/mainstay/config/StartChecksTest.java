package dev.mainstay.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a start would stumble over, found by a check. */
final class StartChecksTest {
  @TempDir private Path folder;

  private List<String> problems(String yaml) throws IOException {
    var file = Files.writeString(folder.resolve("mainstay.yaml"), yaml);
    return catchThrowableOfType(ConfigException.class, () -> ConfigLoader.load(file, Map.of()))
        .problems()
        .stream()
        .map(problem -> problem.path() + ": " + problem.found())
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server: { max-body: 2GiB }           | server.max-body: \"2GiB\"",
        "server: { max-body: 0 }              | server.max-body: \"0\"",
        "recording: { retention: 0 }          | recording.retention: \"0\"",
        "store: { max-kept: 1023KiB }         | store.max-kept: \"1023KiB\"",
        "recording: { max-bytes: 1023KiB }    | recording.max-bytes: \"1023KiB\"",
        "recording: { redact: [email] }       | recording.redact[0]: \"email\": neither a path from"
            + " $ nor a pattern between slashes",
        "recording: { redact: [\"$.a\", \"/(/\"] } | recording.redact[1]: \"/(/\": Unclosed group",
        "store: { url: \"jdbc:mysql://h/d\" } | store.url: a database of another" + " kind"
      })
  void valuesThatNoStartTakes(String yaml, String problem) throws IOException {
    assertThat(problems(yaml)).containsExactly(problem);
  }

  /** One mistake is told once, and not again wherever its provider is named. */
  @Test
  void aModelIsNotBlamedForTheMistakesOfItsProvider() throws IOException {
    assertThat(
            problems(
                """
                providers:
                  a: { dialect: openai, base-url: "api.example.com/v1" }
                  b: { dialect: openai, base-url: "http://b/v1" }
                models: { m: { targets: [a/x, b/x, nowhere/x] } }
                """))
        .containsExactly(
            "providers.a.base-url: a value that is not such a URL",
            "models.m.targets[2]: the provider \"nowhere\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`providers:\n"
            + "\topenai: {}` | (syntax): character '\\t(TAB)' that cannot start any token. (Do not"
            + " use \\t(TAB) for indentation)",
        "just words | (file): a text"
      })
  void whatIsNoConfigurationIsNamed(String yaml, String problem) throws IOException {
    assertThat(problems(yaml)).containsExactly(problem);
  }

  @Test
  void aFileThatIsNotThereIsNamedWithItsWholePath() {
    var missing = folder.resolve("x/../nope.yaml");
    assertThat(
            catchThrowableOfType(ConfigException.class, () -> ConfigLoader.load(missing, Map.of()))
                .problems())
        .extracting(Problem::found)
        .containsExactly("no file " + folder.resolve("nope.yaml"));
    assertThat(
            catchThrowableOfType(ConfigException.class, () -> ConfigLoader.load(folder, Map.of()))
                .problems())
        .extracting(Problem::found)
        .containsExactly(folder + ", which is a directory");
  }

  @Test
  void nothingToServeIsSaid() throws Exception {
    assertThat(ConfigLoader.parse("{}", "c.yaml", Map.of()).notices())
        .containsExactly("no provider has a key: Mainstay cannot serve any call");
  }

  @Test
  void aProxyThatIsNoneIsNotRepeated() throws IOException {
    assertThat(
            problems(
                """
                providers:
                  a: { dialect: openai, base-url: "http://x/v1", proxy: "socks5://user:PLANTED@h:1" }
                """))
        .containsExactly("providers.a.proxy: a value that is not such a URL");
  }

  @Test
  void filesThatCannotBeUsed() throws Exception {
    Files.writeString(folder.resolve("junk.pem"), "-----BEGIN PRIVATE KEY-----\nAAAA\n");
    assertThat(
            problems(
                """
                server: { tls: { cert: junk.pem, key: junk.pem } }
                providers:
                  a: { dialect: openai, base-url: "http://x/v1", tls: { ca: missing.pem } }
                """))
        .containsExactly(
            "server.tls.cert: " + folder.resolve("junk.pem") + ", which contains no certificates",
            "server.tls.key: " + folder.resolve("junk.pem") + ", which contains no such key",
            "providers.a.tls.ca: "
                + folder.resolve("missing.pem")
                + ", which Mainstay cannot read");
  }

  @ParameterizedTest
  @CsvSource({"RSA", "EC", "Ed25519"})
  void everyUsualKindOfKeyIsTaken(String algorithm) throws IOException, GeneralSecurityException {
    var key = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
    var pem =
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded())
            + "\n-----END PRIVATE KEY-----\n";
    Files.writeString(folder.resolve("key.pem"), pem);
    assertThat(problems("server: { tls: { cert: missing.pem, key: key.pem } }"))
        .containsExactly(
            "server.tls.cert: " + folder.resolve("missing.pem") + ", which Mainstay cannot read");
  }

  @Test
  void rulesOfRedactionAreKept() throws Exception {
    assertThat(
            ConfigLoader.parse(
                    "recording: { redact: [\"$..email\", \"/[0-9]{16}/\"] }", "f", Map.of())
                .recording()
                .redact())
        .containsExactly("$..email", "/[0-9]{16}/");
  }
}
