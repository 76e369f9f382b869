package dev.mainstay.wire.translate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What is no request is refused by the path of what is wrong, and never by accident. */
class BadRequestTest {
  private static final String[] VALUES = {
    "null",
    "0",
    "-1",
    "1e400",
    "\"\"",
    "\"x\"",
    "true",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "[\"x\"]",
    "{\"type\":\"text\"}",
    "{\"type\":7}",
    "[{}]",
    "123456789012345678901234567890"
  };

  private static Translation translate(String body, Dialect from, Dialect to) {
    return Requests.translate(
        body.getBytes(UTF_8), from, to, FeatureTableTest.model(to), false, OnLoss.DROP);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "OPENAI_CHAT; []; the body is not a JSON object",
        "OPENAI_CHAT; {; the body is not valid JSON at line 1, column 2",
        "OPENAI_CHAT; {}; messages: is missing",
        "OPENAI_CHAT; {\"messages\":{}}; messages: is an object and must be a list",
        "OPENAI_CHAT; {\"messages\":[7]}; messages[0]: is a number and must be an object",
        "OPENAI_CHAT; {\"messages\":[{\"role\":\"robot\"}]}; messages[0].role: is a string and must"
            + " be system, developer, user, assistant or tool",
        "OPENAI_CHAT; {\"messages\":[],\"max_tokens\":\"5\"}; max_tokens: is a string and must be a"
            + " whole number",
        "OPENAI_CHAT; {\"messages\":[],\"stop\":[1]}; stop[0]: is a number and must be a string",
        "OPENAI_CHAT; {\"messages\":[],\"tools\":[{\"type\":\"function\"}]}; tools[0].function: is"
            + " missing",
        "OPENAI_CHAT; {\"messages\":[],\"reasoning_effort\":\"huge\"}; reasoning_effort: is a"
            + " string and must be one of none, minimal, low, medium, high, xhigh, max",
        "ANTHROPIC; {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\"}]}]};"
            + " messages[0].content[0].tool_use_id: is missing",
        "ANTHROPIC; {\"messages\":[],\"metadata\":7}; metadata: is a number and must be an object",
        "OPENAI_RESPONSES; {\"input\":7}; input: is a number and must be a list",
        "GEMINI; {\"contents\":[{\"parts\":[{\"inlineData\":{}}]}]};"
            + " contents[0].parts[0].inlineData.mimeType: is missing",
      })
  void theFieldIsNamed(Dialect from, String body, String message) {
    var to = from == Dialect.GEMINI ? Dialect.ANTHROPIC : Dialect.GEMINI;
    assertThatThrownBy(() -> translate(body, from, to))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @EnumSource
  void brokenInAnyPlaceItIsRefusedAndNothingElse(Dialect from) {
    int refused = 0;
    for (long seed = 0; seed < 1_500; seed++) {
      var random = new Random(seed);
      var body = body(from, seed);
      for (int i = 0; i <= random.nextInt(3); i++) {
        breakOnePlace(body, random);
      }
      var bytes = Body.bytes(body);
      for (var to : Dialect.values()) {
        try {
          var written =
              Requests.translate(bytes, from, to, FeatureTableTest.model(to), false, OnLoss.DROP);
          Body.read(written.body());
        } catch (TranslationException e) {
          refused++;
        } catch (RuntimeException e) {
          throw new AssertionError("seed " + seed + " to " + to + ": " + body, e);
        }
      }
    }
    assertThat(refused).isPositive();
  }

  private static ObjectNode body(Dialect dialect, long seed) {
    while (true) {
      var context =
          new TranslationContext(
              Dialect.OPENAI_CHAT, dialect, FeatureTableTest.model(dialect), false, OnLoss.DROP);
      try {
        return Requests.write(context, new RandomRequest(seed).next());
      } catch (UntranslatableException e) {
        seed += 100_000;
      }
    }
  }

  private static void breakOnePlace(ObjectNode body, Random random) {
    var places = new ArrayList<Runnable>();
    var value = Body.parse(VALUES[random.nextInt(VALUES.length)]);
    boolean remove = random.nextInt(4) == 0;
    collect(body, value, remove, places);
    if (!places.isEmpty()) {
      places.get(random.nextInt(places.size())).run();
    }
  }

  private static void collect(
      JsonNode node, JsonNode value, boolean remove, List<Runnable> places) {
    switch (node) {
      case ObjectNode object -> {
        for (var name : List.copyOf(object.propertyNames())) {
          places.add(() -> change(object, name, value, remove));
          collect(object.get(name), value, remove, places);
        }
      }
      case ArrayNode array -> {
        for (int i = 0; i < array.size(); i++) {
          int at = i;
          places.add(() -> array.set(at, value));
          collect(array.get(i), value, remove, places);
        }
      }
      default -> {}
    }
  }

  private static void change(ObjectNode object, String name, JsonNode value, boolean remove) {
    if (remove) {
      object.remove(name);
    } else {
      object.set(name, value);
    }
  }

  @Test
  void nestingIsBounded() {
    for (int depth : new int[] {100, 400, 480, 500, 510, 511, 600, 100_000}) {
      var deep = "[".repeat(depth) + "]".repeat(depth);
      var schema =
          "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":5,\"tools\":[{\"name\":\"f\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"x\":{\"default\":"
              + deep
              + "}}}}]}";
      var arguments =
          "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":"
              + deep
              + "}\"}}]}]}";
      for (var to : Dialect.values()) {
        bounded(schema, Dialect.ANTHROPIC, to);
        bounded(arguments, Dialect.OPENAI_CHAT, to);
      }
    }
  }

  private static void bounded(String body, Dialect from, Dialect to) {
    try {
      Body.read(translate(body, from, to).body());
    } catch (TranslationException e) {
      assertThat(e.getMessage()).doesNotContain("[[");
    }
  }

  @Test
  void noMessageHoldsWhatTheRequestSays() {
    assertThatThrownBy(
            () ->
                translate(
                    "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"secret\",\"text\":\"secret\"}]}]}",
                    Dialect.OPENAI_CHAT,
                    Dialect.GEMINI))
        .isInstanceOf(TranslationException.class)
        .message()
        .doesNotContain("secret");
  }
}
