package dev.mainstay.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.money.InputLimits;
import dev.mainstay.wire.request.Attachments;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class AttachmentsTest {
  private static Attachments of(String body) {
    return Attachments.of(body.getBytes(StandardCharsets.UTF_8));
  }

  private static Attachments parts(String parts) {
    return of("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[" + parts + "]}]}");
  }

  @Test
  void imagesByAddressOrInsideInEveryDialect() {
    for (var part :
        new String[] {
          "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a/b.png\",\"detail\":\"high\"}}",
          "{\"image_url\":\"https://a/b.png\",\"type\":\"image_url\"}",
          "{\"type\":\"input_image\",\"file_id\":\"file-1\"}",
          "{\"source\":{\"type\":\"url\",\"url\":\"https://a/b.png\"},\"type\":\"image\"}",
          "{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"file_1\"}}",
          "{\"fileData\":{\"mimeType\":\"image/png\",\"fileUri\":\"gs://a/b\"}}",
          "{\"type\":\"tool_result\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\","
              + "\"url\":\"https://a/b.png\"}}]}",
        }) {
      assertThat(parts(part)).as(part).isEqualTo(new Attachments(1, 0, 0));
    }
    assertThat(parts("{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AAAA\"}}"))
        .isEqualTo(new Attachments(1, 0, 4));
    assertThat(
            parts(
                "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}"))
        .isEqualTo(new Attachments(1, 0, 26));
  }

  @Test
  void whateverElseIsAFile() {
    for (var part :
        new String[] {
          "{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}}",
          "{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"https://a/b.pdf\"}}",
          "{\"fileData\":{\"mimeType\":\"video/mp4\",\"fileUri\":\"gs://a/b\"}}",
          "{\"fileData\":{\"fileUri\":\"gs://a/b\"}}",
        }) {
      assertThat(parts(part)).as(part).isEqualTo(new Attachments(0, 1, 0));
    }
    assertThat(
            parts(
                "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"AAAA\",\"format\":\"wav\"}}"))
        .isEqualTo(new Attachments(0, 1, 4));
  }

  @Test
  void anAddressInWordsIsNoAttachment() {
    for (var part :
        new String[] {
          "{\"type\":\"text\",\"text\":\"https://a/b.png\"}",
          "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"get\",\"input\":{\"url\":\"https://a\"}}",
          "{\"functionCall\":{\"name\":\"get\",\"args\":{\"url\":\"https://a\"}}}",
          "{\"type\":\"web_search_result\",\"url\":\"https://a\"}",
          "{\"type\":\"document\",\"source\":{\"type\":\"text\",\"data\":\"AAAA\"}}",
        }) {
      assertThat(parts(part)).as(part).isEqualTo(new Attachments(0, 0, 0));
    }
    assertThat(of("not json").isEmpty()).isTrue();
  }

  @Test
  void whatIsNotKnownIsTheMost() {
    assertThat(InputLimits.image("llava")).isEqualTo(InputLimits.image("gpt-4o-mini-2024-07-18"));
    assertThat(InputLimits.image("gpt-4o-2024-08-06")).isEqualTo(3_779);
    assertThat(InputLimits.context("gpt-5-mini")).isEqualTo(400_000);
    assertThat(InputLimits.context("claude-sonnet-4-5")).isEqualTo(1_000_000);
    assertThat(InputLimits.tools("claude-sonnet-4-5")).isPositive();
  }
}
