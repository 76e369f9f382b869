package dev.mainstay.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import dev.mainstay.wire.error.Mask;
import dev.mainstay.wire.error.ProviderError;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ErrorTest {
  private static final MainstayNote NOTE =
      new MainstayNote(
          "call_1",
          "FATAL",
          "auth",
          "key",
          List.of(new MainstayNote.Attempt("openai/gpt-4o", 401, "auth", "give_up", 0)),
          "Set a key.");

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":\"c\",\"param\":\"p\"}} ! m ! t ! c",
        "{\"type\":\"error\",\"error\":{\"type\":\"t\",\"message\":\"m\"},\"request_id\":\"r\"} ! m"
            + " ! t ! ",
        "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_EXHAUSTED\"}} ! m !"
            + " RESOURCE_EXHAUSTED ! 429",
        "[{\"error\":{\"code\":400,\"message\":\"m\",\"status\":\"S\"}}] ! m ! S ! 400",
        "{\"object\":\"error\",\"message\":\"m\",\"type\":\"t\",\"code\":\"1300\"} ! m ! t ! 1300",
        "{\"detail\":\"m\"} ! m ! !",
        "{\"error\":\"m\"} ! m ! !",
        "upstream said no ! upstream said no ! !",
        "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code ! m ! t ! "
      })
  void readsTheUsualShapes(String body, String message, String type, String code) {
    var error = ProviderError.read(body);
    assertThat(error.message()).isEqualTo(message);
    assertThat(error.type()).isEqualTo(type);
    assertThat(error.code()).isEqualTo(code);
  }

  @Test
  void writesEachDialectsOwnShape() {
    var error = ProviderError.of("Bad \"key\".", "invalid_request_error", "invalid_api_key");
    assertThat(body(Dialect.OPENAI_CHAT, error))
        .startsWith(
            "{\"error\":{\"message\":\"Bad \\\"key\\\".\",\"type\":\"invalid_request_error\","
                + "\"param\":null,\"code\":\"invalid_api_key\",\"mainstay\":{\"call\":\"call_1\"");
    assertThat(body(Dialect.ANTHROPIC, error))
        .startsWith("{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"");
    assertThat(body(Dialect.GEMINI, error)).startsWith("{\"error\":{\"code\":401,");
    assertThat(body(Dialect.MISTRAL, error)).startsWith("{\"object\":\"error\",\"message\":");
  }

  @Test
  void errorEventsAreWhatTheSdksRaiseOn() {
    assertThat(event(Dialect.OPENAI_CHAT)).startsWith("data: {\"error\":{").endsWith("\n\n");
    assertThat(event(Dialect.GEMINI)).startsWith("data: {\"error\":{");
    assertThat(event(Dialect.MISTRAL)).startsWith("data: {\"error\":{");
    assertThat(event(Dialect.ANTHROPIC)).startsWith("event: error\ndata: {\"type\":\"error\"");
    assertThat(event(Dialect.OPENAI_RESPONSES))
        .startsWith("event: error\ndata: {\"type\":\"error\"")
        .contains("\"error\":{");
  }

  @Test
  void responsesErrorEventIsCountedOnFromWhatWasDelivered() {
    var delivered =
        "event: response.created\n"
            + "data: {\"type\":\"response.created\",\"sequence_number\":0}\n\n"
            + "event: x\n"
            + "data: {\"sequence_number\": 41 ,\"delta\":\"\\\"sequence_number\\\":7\"}\n\n"
            + ": mainstay says something\n\n";
    assertThat(numbered(delivered)).contains("\"sequence_number\":42,");
    assertThat(numbered("")).contains("\"sequence_number\":0,");
    assertThat(numbered(": only a comment\n\n")).contains("\"sequence_number\":0,");
    assertThat(numbered("data: {\"sequence_number\":\"none\"}\n\n"))
        .contains("\"sequence_number\":0,");
    assertThat(numbered(null)).as("forgotten").doesNotContain("sequence_number");
    assertThat(event(Dialect.ANTHROPIC)).doesNotContain("sequence_number");
  }

  private static String numbered(@Nullable String delivered) {
    return new String(
        ErrorWriter.event(
            Dialect.OPENAI_RESPONSES,
            500,
            ProviderError.NONE,
            NOTE,
            delivered == null ? null : delivered.getBytes(StandardCharsets.UTF_8)),
        StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-proj-abcDEF123456789",
        "sk-ant-api03-xYz_12345",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "gsk_abcdef1234567890",
        "xai-Abcdef12345",
        "sk-abc***************wxyz",
        "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF"
      })
  void keysAreMasked(String key) {
    assertThat(Mask.keys("Incorrect API key provided: " + key + ". See the page."))
        .isEqualTo("Incorrect API key provided: [key]. See the page.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Rate limit reached for gpt-4o-mini in organization org-AbCdEfGh12345678 on tokens per"
            + " min.",
        "req_011CSHoEeqs5C35K2UUqR7Fy",
        "sk-learn and task-based",
        "claude-sonnet-4-5-20250929 is overloaded",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
      })
  void wordsAreNot(String text) {
    assertThat(Mask.keys(text)).isEqualTo(text);
  }

  private static String body(Dialect dialect, ProviderError error) {
    return new String(ErrorWriter.body(dialect, 401, error, NOTE), StandardCharsets.UTF_8);
  }

  private static String event(Dialect dialect) {
    return new String(
        ErrorWriter.event(dialect, 500, ProviderError.NONE, NOTE, new byte[0]),
        StandardCharsets.UTF_8);
  }
}
