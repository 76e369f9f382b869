package dev.mainstay.wire.translate;

import static dev.mainstay.wire.Dialect.ANTHROPIC;
import static dev.mainstay.wire.Dialect.GEMINI;
import static dev.mainstay.wire.Dialect.MISTRAL;
import static dev.mainstay.wire.Dialect.OPENAI_CHAT;
import static dev.mainstay.wire.Dialect.OPENAI_RESPONSES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Feature.Policy;
import dev.mainstay.wire.translate.request.Field;
import dev.mainstay.wire.translate.request.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A test per setting of the table, for every pair of dialects; and the page is up to date. */
class FeatureTableTest {
  /** Rows that a target says in words of its own, with what they come to. */
  private static final Map<Feature, Map<Dialect, String>> OTHERWISE =
      new EnumMap<>(
          Map.of(
              Feature.LOGPROBS,
              Map.of(OPENAI_RESPONSES, "/include/1=\"message.output_text.logprobs\""),
              Feature.SAFETY_IDENTIFIER,
              Map.of(ANTHROPIC, "/metadata/user_id=\"x\""),
              Feature.PARALLEL_TOOLS,
              Map.of(ANTHROPIC, "/tool_choice/disable_parallel_tool_use=true")));

  /** Rows whose values differ between dialects, or that are never passed on: tested by hand. */
  private static final Set<Feature> BY_HAND =
      Set.of(
          Feature.SERVICE_TIER,
          Feature.STORE,
          Feature.MODALITIES,
          Feature.AUDIO_OUTPUT,
          Feature.UNKNOWN_FIELD);

  static String model(Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT, OPENAI_RESPONSES -> "gpt-5";
      case MISTRAL -> "mistral-large-latest";
      case ANTHROPIC -> "claude-sonnet-4-6";
      case GEMINI -> "gemini-3-flash";
    };
  }

  /** The least that a request says, with a tool on offer. */
  static ObjectNode minimal(Dialect dialect) {
    return Body.read(
        switch (dialect) {
          case OPENAI_CHAT, MISTRAL ->
              """
              {"model":"m","messages":[{"role":"user","content":"hi"}],
               "tools":[{"type":"function","function":{"name":"f"}}]}
              """
                  .getBytes(UTF_8);
          case OPENAI_RESPONSES ->
              """
              {"model":"m","input":"hi","tools":[{"type":"function","name":"f"}]}
              """
                  .getBytes(UTF_8);
          case ANTHROPIC ->
              """
              {"model":"m","max_tokens":100,"messages":[{"role":"user","content":"hi"}],
               "tools":[{"name":"f","input_schema":{"type":"object"}}]}
              """
                  .getBytes(UTF_8);
          case GEMINI ->
              """
              {"contents":[{"role":"user","parts":[{"text":"hi"}]}],
               "tools":[{"functionDeclarations":[{"name":"f"}]}]}
              """
                  .getBytes(UTF_8);
        });
  }

  @TestFactory
  Stream<DynamicTest> everySettingForEveryPair() {
    var tests = new ArrayList<DynamicTest>();
    for (var feature : Feature.values()) {
      if (feature.type() == null || BY_HAND.contains(feature)) {
        continue;
      }
      for (var from : Dialect.values()) {
        var column = feature.column(from);
        if (column == null) {
          continue;
        }
        for (var path : column.split("\\|")) {
          for (var to : Dialect.values()) {
            if (to != from) {
              tests.add(
                  dynamicTest(
                      feature.label() + ": " + from.label() + " " + path + " to " + to.label(),
                      () -> setting(feature, from, path, to)));
            }
          }
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(200);
    return tests.stream();
  }

  private static void setting(Feature feature, Dialect from, String path, Dialect to) {
    var value = value(feature);
    var request = minimal(from);
    if (feature == Feature.LOGPROBS && from == OPENAI_RESPONSES) {
      request.putArray("include").add("message.output_text.logprobs");
    } else if (feature == Feature.PARALLEL_TOOLS && from == ANTHROPIC) {
      request.putObject("tool_choice").put("type", "auto").put("disable_parallel_tool_use", true);
    } else {
      Settings.put(request, path, value);
    }
    var column = feature.column(to);
    var otherwise = OTHERWISE.getOrDefault(feature, Map.of()).get(to);
    if (otherwise != null) {
      var translation = translate(request, from, to);
      int is = otherwise.indexOf('=');
      assertThat(Tree.write(Body.read(translation.body()).at(otherwise.substring(0, is))))
          .isEqualTo(otherwise.substring(is + 1));
      assertThat(translation.degraded()).isEmpty();
    } else if (column == null) {
      lost(feature, request, from, path, to);
    } else {
      var translation = translate(request, from, to);
      var body = Body.read(translation.body());
      assertThat(Stream.of(column.split("\\|")).map(name -> body.at(pointer(name))))
          .as(body.toString())
          .contains(value);
      assertThat(translation.degraded()).isEmpty();
    }
  }

  private static void lost(
      Feature feature, ObjectNode request, Dialect from, String path, Dialect to) {
    if (feature.policy() == Policy.REFUSE) {
      assertThatThrownBy(() -> translate(request, from, to))
          .isInstanceOfSatisfying(
              UntranslatableException.class, e -> assertThat(e.name()).isEqualTo(feature.label()));
      return;
    }
    assertThat(translate(request, from, to).degraded()).containsExactly(feature.label());
    assertThatThrownBy(
            () ->
                Requests.translate(Body.bytes(request), from, to, model(to), false, OnLoss.REFUSE))
        .isInstanceOfSatisfying(
            LossRefusedException.class,
            e -> {
              assertThat(e.name()).isEqualTo(feature.label());
              assertThat(path).contains(e.path().replaceFirst("^max_completion_tokens$", path));
            });
    if (feature.neutral() instanceof String neutral
        && !path.equals("include")
        && path.indexOf('.') < 0) {
      request.set(path, Body.parse(neutral));
      assertThat(translate(request, from, to).degraded()).isEmpty();
    }
  }

  private static JsonNode value(Feature feature) {
    var sample = RandomRequest.sample(feature);
    if (feature.type() == Field.Type.STRING) {
      return Body.of(feature == Feature.TRUNCATION ? "auto" : "x");
    }
    if (sample != null) {
      return sample;
    }
    return switch (feature.type()) {
      case BOOLEAN -> Body.of(true);
      case INTEGER -> Body.parse("2");
      case null, default -> Body.parse("{\"id\":\"x\"}");
    };
  }

  private static Translation translate(ObjectNode request, Dialect from, Dialect to) {
    return Requests.translate(Body.bytes(request), from, to, model(to), false, OnLoss.DROP);
  }

  private static String pointer(String path) {
    return "/" + path.replace('.', '/');
  }

  @Test
  void tiersHaveTheirOwnWordsInEachDialect() {
    assertThat(tier(OPENAI_CHAT, "default", ANTHROPIC)).isEqualTo("standard_only");
    assertThat(tier(ANTHROPIC, "standard_only", GEMINI)).isEqualTo("standard");
    assertThat(tier(GEMINI, "STANDARD", OPENAI_RESPONSES)).isEqualTo("default");
    assertThat(tier(OPENAI_RESPONSES, "flex", GEMINI)).isEqualTo("flex");
    assertThat(tier(OPENAI_CHAT, "flex", ANTHROPIC)).isEqualTo("lost");
    assertThat(tier(OPENAI_CHAT, "priority", MISTRAL)).isEqualTo("lost");
  }

  private static String tier(Dialect from, String tier, Dialect to) {
    var request = minimal(from).put(from == GEMINI ? "serviceTier" : "service_tier", tier);
    var translation = translate(request, from, to);
    if (translation.degraded().equals(Set.of("service-tier"))) {
      return "lost";
    }
    assertThat(translation.degraded()).isEmpty();
    var body = Body.read(translation.body());
    return Tree.text(body, to == GEMINI ? "serviceTier" : "service_tier");
  }

  @Test
  void nothingIsKeptWhereAnAnswerIsTranslated() {
    var request = minimal(OPENAI_CHAT).put("store", true);
    for (var to : List.of(ANTHROPIC, GEMINI, MISTRAL, OPENAI_RESPONSES)) {
      assertThat(translate(request, OPENAI_CHAT, to).degraded()).containsExactly("store");
    }
    var responses = translate(minimal(OPENAI_CHAT), OPENAI_CHAT, OPENAI_RESPONSES);
    assertThat(Body.read(responses.body()).get("store")).isEqualTo(Body.of(false));
  }

  @Test
  void onlyTextIsAskedFor() {
    var text = minimal(GEMINI);
    Settings.put(text, "generationConfig.responseModalities", Body.parse("[\"TEXT\"]"));
    assertThat(translate(text, GEMINI, OPENAI_CHAT).degraded()).isEmpty();
    var sound = minimal(OPENAI_CHAT);
    sound.set("modalities", Body.parse("[\"text\",\"audio\"]"));
    for (var to : List.of(ANTHROPIC, GEMINI, MISTRAL, OPENAI_RESPONSES)) {
      assertThatThrownBy(() -> translate(sound, OPENAI_CHAT, to))
          .isInstanceOf(UntranslatableException.class)
          .hasMessageStartingWith("modalities: ");
    }
    var voice = minimal(OPENAI_CHAT);
    voice.set("audio", Body.parse("{\"voice\":\"ash\"}"));
    assertThat(translate(voice, OPENAI_CHAT, GEMINI).degraded()).containsExactly("audio-output");
  }

  @Test
  void fieldsThatNobodyKnowsAreSaid() {
    for (var from : Dialect.values()) {
      var request = minimal(from).put("some_field", 1);
      var to = from == ANTHROPIC ? GEMINI : ANTHROPIC;
      assertThat(translate(request, from, to).degraded()).containsExactly("unknown-field");
    }
  }

  @Test
  void thePageIsUpToDate() throws IOException {
    assertThat(Files.readString(TranslationTable.file()))
        .as("run the main method of TranslationTable")
        .isEqualTo(TranslationTable.page());
  }
}
