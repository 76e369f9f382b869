package dev.mainstay.wire.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SchemaRepairTest {
  /** A property is called like a keyword, and must stay. */
  private static final String SCHEMA =
      "{\"type\":\"object\",\"enum\":[{\"format\":1}], \"properties\":{\"format\":{\"type\":\"string\",\"format\":\"date\","
          + "\"minLength\":2},\"list\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"format\":\"email\"}]}}},"
          + "\"required\":[\"format\"],\"oneOf\":[{\"required\":[\"list\"]}]}";

  private static String loosened(Dialect dialect, String body, String error) {
    return SchemaRepair.loosen(dialect, body.getBytes(UTF_8), error)
        .map(edited -> new String(edited.body(), UTF_8))
        .orElse("");
  }

  private static String chat(String schema) {
    return "{\"model\":\"m\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","
        + "\"parameters\":"
        + schema
        + "}}]}";
  }

  @Test
  void aKeywordThatIsNamedGoesWhereverASchemaHasItAndEverythingElseStays() {
    var error =
        "Invalid schema for function 'f': In context=('properties', 'format'), 'format' is not"
            + " permitted.";
    var expected =
        SCHEMA.replace("\"format\":\"date\",", "").replace("{\"format\":\"email\"}", "{}");
    assertThat(loosened(Dialect.OPENAI_CHAT, chat(SCHEMA), error)).isEqualTo(chat(expected));
    var anthropic = "{\"tools\":[{\"name\":\"f\",\"input_schema\":%s}]}";
    assertThat(loosened(Dialect.ANTHROPIC, anthropic.formatted(SCHEMA), error))
        .isEqualTo(anthropic.formatted(expected));
    var gemini = "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\",\"parameters\":%s}]}]}";
    assertThat(
            loosened(
                Dialect.GEMINI,
                gemini.formatted(SCHEMA),
                "GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[f]"
                    + ".format: only 'enum' and 'date-time' are supported for STRING type"))
        .isEqualTo(gemini.formatted(expected));
    var responses = "{\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"parameters\":%s}]}";
    assertThat(loosened(Dialect.OPENAI_RESPONSES, responses.formatted(SCHEMA), "minLength: no"))
        .isEqualTo(responses.formatted(SCHEMA.replace(",\"minLength\":2", "")));
  }

  @Test
  void anOutermostChoiceGoesAndThoseInsideStay() {
    var anthropic = "{\"tools\":[{\"name\":\"f\",\"input_schema\":%s}]}";
    assertThat(
            loosened(
                Dialect.ANTHROPIC,
                anthropic.formatted(SCHEMA),
                "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf"
                    + " at the top level"))
        .isEqualTo(
            anthropic.formatted(SCHEMA.replace(",\"oneOf\":[{\"required\":[\"list\"]}]", "")));
  }

  @Test
  void whatIsNotNamedOrNotThereOrHoldsTheSchemaTogetherStays() {
    assertThat(loosened(Dialect.OPENAI_CHAT, chat(SCHEMA), "the format of it is not good"))
        .as("a word, and no name")
        .isEmpty();
    assertThat(loosened(Dialect.OPENAI_CHAT, chat(SCHEMA), "'maxLength' is not permitted"))
        .isEmpty();
    assertThat(loosened(Dialect.OPENAI_CHAT, chat(SCHEMA), "'required' is not permitted"))
        .isEmpty();
    assertThat(loosened(Dialect.OPENAI_CHAT, "{\"model\":\"m\"}", "'format' is bad")).isEmpty();
  }

  @Test
  void whatATargetDoesNotKnowIsLeftOutFromThenOn() {
    var quirks = new ModelQuirks(System::nanoTime);
    quirks.learn("one/m", new Quirk.SchemaKeywords(Set.of("minLength")));
    var applied =
        quirks.applied(chat(SCHEMA).getBytes(UTF_8), Dialect.OPENAI_CHAT, "one/m", quirk -> true);
    assertThat(new String(applied.body(), UTF_8))
        .isEqualTo(chat(SCHEMA.replace(",\"minLength\":2", "")));
    assertThat(applied.lost()).containsExactly("tools.schema.minLength");
  }
}
