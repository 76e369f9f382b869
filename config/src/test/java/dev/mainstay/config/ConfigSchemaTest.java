package dev.mainstay.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.call.settings.InFlight;
import dev.mainstay.call.settings.Timeouts;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.DurationText;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is generated from the declarations of the settings is what is published. */
final class ConfigSchemaTest {
  private static final Path ROOT = root();

  private static Path root() {
    var at = Path.of("").toAbsolutePath();
    while (!Files.exists(at.resolve("mvnw"))) {
      at = Objects.requireNonNull(at.getParent());
    }
    return at;
  }

  @Test
  void thePublishedSchemaIsCurrent() throws IOException {
    var published = "config/src/main/resources/dev/mainstay/config/config.schema.json";
    assertThat(Files.readString(ROOT.resolve(published)))
        .as("./mainstay config schema > " + published)
        .isEqualTo(SchemaWriter.write());
  }

  @Test
  void theReferencePageIsCurrent() throws IOException {
    assertThat(Files.readString(ROOT.resolve("docs/configuration-reference.md")))
        .as("./mainstay config reference > docs/configuration-reference.md")
        .isEqualTo(ReferenceWriter.write());
  }

  /** Every default, so that none changes unnoticed. */
  @Test
  void everyDefault() throws IOException {
    var lines = new ArrayList<String>();
    Declaration.texts(Declaration.defaults(Config.class), "")
        .forEach((path, text) -> lines.add(path + " = " + text));
    for (var record :
        List.of(
            Provider.class,
            Model.class,
            Client.class,
            Budget.class,
            Agent.class,
            AgentTool.class,
            Agent.McpServer.class,
            Agent.Output.class,
            Alerts.Slo.class)) {
      defaults(record, record.getSimpleName() + ".", lines);
    }
    try (var in = getClass().getResourceAsStream("defaults.txt")) {
      assertThat(String.join("\n", lines) + "\n")
          .isEqualTo(new String(Objects.requireNonNull(in).readAllBytes(), UTF_8));
    }
  }

  /** A record that programs make as well refuses by itself what its declarations exclude. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        Policy.class,
        Policy.Retry.class,
        Policy.Bounds.class,
        BreakerSettings.class,
        Timeouts.class,
        InFlight.class
      })
  void aConstructorRefusesWhatIsOutOfRange(Class<? extends Record> record) {
    int bounds = 0;
    for (var each : Declaration.of(record)) {
      var least = each.setting().least();
      if (!least.equals(Setting.NONE)) {
        bounds++;
        refused(record, each, least, -1);
      }
      var most = each.setting().most();
      if (!most.equals(Setting.NONE)) {
        bounds++;
        refused(record, each, most, 1);
      }
    }
    assertThat(bounds).isPositive();
  }

  private static void refused(
      Class<? extends Record> record, Declaration each, String bound, int beyond) {
    var type = each.component().getType();
    Object value =
        type == int.class
            ? (Object) (Integer.parseInt(bound) + beyond)
            : type == double.class
                ? (Object) (Double.parseDouble(bound) + beyond)
                : DurationText.parse(bound).plusMillis(beyond);
    assertThatThrownBy(
            () ->
                Declaration.with(
                    Declaration.defaults(record), Map.of(each.component().getName(), value)))
        .isInstanceOf(InvalidPolicyException.class)
        .hasMessageContaining(each.name() + ": ");
  }

  private static void defaults(Class<? extends Record> record, String before, List<String> lines) {
    for (var each : Declaration.of(record)) {
      switch (each.shape()) {
        case INLINE -> defaults(Objects.requireNonNull(each.section()), before, lines);
        case VALUE -> {
          if (!each.setting().required()) {
            lines.add(before + each.name() + " = " + byDefault(each));
          }
        }
        case SECTION -> {
          if (!each.setting().optional() && !each.setting().inherited()) {
            Declaration.values(Objects.requireNonNull(each.section()), each.name())
                .forEach((path, below) -> lines.add(before + path + " = " + byDefault(below)));
          }
        }
        case VALUES, SECTIONS, NAMED_VALUES, NAMED_SECTIONS, TREE, KEY -> {}
      }
    }
  }

  private static String byDefault(Declaration each) {
    return each.setting().byDefault().replace(Setting.NONE, "none");
  }

  @Test
  void theDefaultsOfTheSchemaAreThoseOfTheParser() throws Exception {
    var written = Tree.object();
    var paths = new ArrayList<String>();
    defaults(Tree.read(ConfigLoader.schema()), written, "", paths);
    assertThat(paths).contains("server.port", "recovery.retry.factor").hasSizeGreaterThan(50);
    assertThat(ConfigLoader.parse(written.toString(), "defaults.json", Map.of()))
        .usingRecursiveComparison()
        .ignoringFields("findings", "alerts.on")
        .isEqualTo(ConfigLoader.parse("{}", "empty.yaml", Map.of()));
  }

  private static void defaults(JsonNode schema, ObjectNode into, String path, List<String> paths) {
    schema
        .path("properties")
        .properties()
        .forEach(
            each -> {
              var here = Declaration.path(path, each.getKey());
              var value = each.getValue();
              if (value.has("default")) {
                into.set(each.getKey(), value.get("default"));
                paths.add(here);
              } else if (value.has("properties") && !value.has("required")) {
                var below = Tree.object();
                defaults(value, below, here, paths);
                // An optional section is none where nothing in it is given.
                if (!below.isEmpty() && !here.equals("alerts.slo")) {
                  into.set(each.getKey(), below);
                }
              }
            });
  }
}
