package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The fault catalogue against a configuration. */
@Timeout(300)
final class SelftestCommandTest {
  @TempDir Path folder;

  private Path config(String more) throws IOException {
    var file = folder.resolve("mainstay.yaml");
    Files.writeString(
        file,
        """
        providers:
          openai: { dialect: openai, base-url: "https://api.openai.com/v1", keys: ["real-key-PLANTED"] }
          claude: { dialect: anthropic, base-url: "https://api.anthropic.com", keys: ["real-key-PLANTED-2"] }
        models:
          alone: { targets: [openai/gpt-4o] }
          backed: { targets: [openai/gpt-4o, claude/claude-sonnet-4-5] }
        """
            + more);
    return file;
  }

  @Test
  void eachFaultAndRouteIsOneLine() throws IOException {
    var run = Run.of("selftest", "--config", config("").toString(), "--json");
    assertThat(run.code()).isZero();
    assertThat(run.out()).doesNotContain("PLANTED").doesNotContain("\"wrong\"");
    assertThat(run.out())
        .contains("\"route\":\"alone\",\"fault\":\"reset-mid-stream\"")
        .contains("\"route\":\"backed\",\"fault\":\"reset-mid-stream\"");
    assertThat(run.out().lines())
        .filteredOn(line -> line.contains("reset-mid-stream"))
        .allMatch(line -> line.contains("\"rescued\""));
    assertThat(run.out().lines())
        .filteredOn(line -> line.contains("openai-insufficient-quota") && line.contains("backed"))
        .singleElement()
        .matches(line -> line.contains("\"rescued\""));
    assertThat(run.out().lines())
        .filteredOn(line -> line.contains("openai-insufficient-quota") && line.contains("alone"))
        .singleElement()
        .matches(line -> line.contains("\"not_protected\"") && line.contains("a second key"));
    assertThat(run.out().lines())
        .filteredOn(line -> line.contains("openai-bad-request"))
        .hasSize(2)
        .allMatch(line -> line.contains("failed_cleanly") && line.contains("\"attempts\":1"));
  }

  @Test
  void aSettingThatWouldProtectIsNamed() throws IOException {
    var run =
        Run.of(
            "selftest",
            "--config",
            config("recovery: { mid-stream: error }\n").toString(),
            "--fault",
            "reset-mid-stream",
            "--route",
            "alone");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("not protected").contains("recovery.mid-stream: continue");
  }

  /** What is named is enough: neither setting alone would do here. */
  @Test
  void settingsThatProtectOnlyTogetherAreNamedTogether() throws IOException {
    var config = config("recovery: { mid-stream: error, retry: { on: off } }\n").toString();
    var midway =
        Run.of("selftest", "--config", config, "--fault", "reset-mid-stream", "--route", "alone");
    assertThat(midway.out())
        .contains(
            "recovery.mid-stream: continue and recovery.retry.on: transient or a second target");
    var before =
        Run.of("selftest", "--config", config, "--fault", "connection-reset", "--route", "alone");
    assertThat(before.out())
        .contains("recovery.retry.on: transient, or a second target")
        .doesNotContain("mid-stream");
  }

  @Test
  void anUnknownFaultOrModelIsNamed() throws IOException {
    var config = config("").toString();
    var fault = Run.of("selftest", "--config", config, "--fault", "reset-midstream");
    assertThat(fault.code()).isEqualTo(2);
    assertThat(fault.err()).contains("there is no fault \"reset-midstream\"");
    var alike = Run.of("selftest", "--config", config, "--fault", "mid-stream");
    assertThat(alike.err()).contains("there are").contains("reset-mid-stream");
    var model = Run.of("selftest", "--config", config, "--route", "gpt-9");
    assertThat(model.code()).isEqualTo(2);
    assertThat(model.err()).contains("there is no model \"gpt-9\"").contains("alone, backed");
  }

  @Test
  void whatIsRequiredDecidesTheExitCode() throws IOException {
    var config = config("").toString();
    String[][] cases = {
      // A retry rescues; a second key would have; nothing could have.
      {"reset-mid-stream", "0", "0"},
      {"openai-insufficient-quota", "1", "1"},
      {"openai-bad-request", "1", "0"}
    };
    for (var each : cases) {
      for (var required : new String[] {"rescued", "clean"}) {
        var run =
            Run.of(
                "selftest",
                "--config",
                config,
                "--route",
                "alone",
                "--fault",
                each[0],
                "--require",
                required);
        assertThat(run.code())
            .as(each[0] + " " + required)
            .isEqualTo(Integer.parseInt(each[required.equals("rescued") ? 1 : 2]));
      }
    }
    var none = Run.of("selftest", "--config", config, "--require", "luck");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("luck").containsIgnoringCase("rescued");
  }
}
