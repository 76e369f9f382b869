package dev.mainstay.wire.money;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeteredUseTest {
  private static final LocalDate DAY = LocalDate.parse("2026-11-23");
  private static final Prices SHIPPED = Prices.shipped();

  private static @Nullable MeteredUse use(String path, String request, @Nullable String answer) {
    assertThat(MeteredUse.on(path)).as(path).isTrue();
    return MeteredUse.of(
        path, request.getBytes(UTF_8), answer == null ? null : answer.getBytes(UTF_8));
  }

  private static @Nullable Long nanos(
      String provider, String path, String request, @Nullable String answer) {
    var use = use(path, request, answer);
    return use == null ? null : SHIPPED.nanos(provider, DAY, use);
  }

  @Test
  void whatIsSpokenIsPaidByTheCharacter() {
    var tts = "{\"model\":\"%s\",\"input\":\"Grüße 😀\",\"voice\":\"alloy\"}";
    assertThat(nanos("openai", "/audio/speech", tts.formatted("tts-1"), null))
        .isEqualTo(7 * 15_000);
    assertThat(nanos("openai", "/audio/speech", tts.formatted("tts-1-hd"), null))
        .isEqualTo(7 * 30_000);
    assertThat(nanos("openai", "/audio/speech", tts.formatted("gpt-4o-mini-tts"), null))
        .as("paid by tokens of sound")
        .isNull();
    var voice = "/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM/stream";
    assertThat(nanos("elevenlabs", voice, "{\"text\":\"Hello\"}", null)).isEqualTo(5 * 100_000);
    assertThat(
            nanos(
                "elevenlabs",
                voice,
                "{\"text\":\"Hello\",\"model_id\":\"eleven_flash_v2_5\"}",
                null))
        .isEqualTo(5 * 50_000);
  }

  @Test
  void picturesArePaidByQualityAndSize() {
    var path = "/images/generations";
    assertThat(
            nanos("openai", path, "{\"model\":\"dall-e-3\",\"prompt\":\"x\"}", "{\"data\":[{}]}"))
        .isEqualTo(40_000_000);
    assertThat(
            nanos(
                "openai",
                path,
                "{\"model\":\"dall-e-3\",\"quality\":\"hd\",\"size\":\"1024x1792\"}",
                null))
        .isEqualTo(120_000_000);
    assertThat(
            nanos(
                "openai",
                path,
                "{\"model\":\"gpt-image-1\",\"quality\":\"auto\"}",
                "{\"data\":[{}],\"quality\":\"high\",\"size\":\"1024x1536\"}"))
        .as("the provider chose")
        .isEqualTo(250_000_000);
    assertThat(nanos("openai", path, "{\"prompt\":\"x\",\"n\":3,\"size\":\"256x256\"}", null))
        .isEqualTo(48_000_000);
    assertThat(nanos("openai", path, "{\"n\":3}", "{\"data\":[{\"url\":\"a\"},{\"url\":\"b\"}]}"))
        .as("two came")
        .isEqualTo(40_000_000);
    assertThat(nanos("openai", path, "{\"model\":\"gpt-image-1\",\"size\":\"auto\"}", null))
        .isNull();
    var own = new PriceRow("gpt-image-1", Unit.IMAGE, BigDecimal.valueOf(50_000), DAY, 0, "test");
    var use = use(path, "{\"model\":\"gpt-image-1\",\"size\":\"auto\",\"n\":2}", null);
    assertThat(SHIPPED.with(List.of(own)).nanos("openai", DAY, requireNonNull(use)))
        .isEqualTo(100_000_000);
  }

  @Test
  void soundIsPaidByTheSecondThatTheAnswerTells() {
    var form =
        "--b\r\n"
            + "content-disposition: form-data; name=\"model\"\r\n\r\n"
            + "whisper-1\r\n"
            + "--b\r\n"
            + "content-disposition: form-data; name=\"file\"; filename=\"a.mp3\"\r\n\r\n"
            + "\u0000\u0001";
    var path = "/audio/transcriptions";
    assertThat(
            nanos(
                "openai",
                path,
                form,
                "{\"text\":\"hi\",\"usage\":{\"type\":\"duration\",\"seconds\":9}}"))
        .isEqualTo(900_000);
    assertThat(nanos("openai", path, form, "{\"text\":\"hi\",\"duration\":2.5}"))
        .isEqualTo(250_000);
    for (var untold :
        List.of(
            "hi",
            "{\"text\":\"hi\"}",
            "{\"duration\":1e999999999}",
            "{\"duration\":\"long\"}",
            "{\"duration\":-1}",
            "{\"duration\":9,\"usage\":{\"type\":\"tokens\",\"input_tokens\":4}}",
            "{\"duration\":9")) {
      assertThat(use(path, form, untold)).as(untold).isNull();
    }
    assertThat(use(path, "--b\r\nname=\"model\"", "{\"duration\":9}")).isNull();
    assertThat(use(path, form, null)).as("too long to be kept").isNull();
  }

  @Test
  void otherPathsArePaidOtherwiseOrNotAtAll() {
    for (var path : List.of("/files", "/v1/models", "/audio/voices", "/chat/completions")) {
      assertThat(MeteredUse.on(path)).as(path).isFalse();
    }
    assertThat(use("/images/edits", "{}", "{}")).as("what a form asks for is not read").isNull();
    assertThat(use("/audio/speech", "{\"input\":\"x", null)).isNull();
    assertThat(use("/audio/speech", "[]", null)).isNull();
  }
}
