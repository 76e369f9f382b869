package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ImageRepairTest {
  private static final String GONE = "\"text\":\"" + ImageRepair.PLACEHOLDER + "\"}";

  /** What stands in {@code #...#} is replaced by what follows it up to the next {@code #}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "OPENAI_CHAT !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
            + " #{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA\"}}#{\"type\":\"text\",@#]}]}",
        "OPENAI_CHAT !"
            + " {\"messages\":[{\"role\":\"tool\",\"content\":[#{\"type\":\"image_url\",\"image_url\":{\"url\":\"http://x/y\"}}#{\"type\":\"text\",@#]}]}",
        "MISTRAL !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":[#{\"type\":\"image_url\",\"image_url\":\"http://x/y\"}#{\"type\":\"text\",@#]}]}",
        "OPENAI_RESPONSES !"
            + " {\"input\":[{\"role\":\"user\",\"content\":[#{\"type\":\"input_image\",\"image_url\":\"http://x\"}#{\"type\":\"input_text\",@#]},{\"type\":\"function_call_output\",\"output\":[#{\"type\":\"input_image\",\"file_id\":\"f\"}#{\"type\":\"input_text\",@#]}]}",
        "ANTHROPIC !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":[#{\"type\":\"image\",\"source\":{}}#{\"type\":\"text\",@#]},#{\"type\":\"image\",\"source\":{},\"cache_control\":{\"type\":\"ephemeral\"}}#{\"type\":\"text\",%,\"cache_control\":{\"type\":\"ephemeral\"}}#]}]}",
        "GEMINI !"
            + " {\"contents\":[{\"parts\":[#{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA\"}}#{@#,{\"inlineData\":{\"mimeType\":\"audio/wav\",\"data\":\"AA\"}}]}]}",
      })
  void imagesBecomeALineOfText(Dialect dialect, String template) {
    var parts = template.replace("@", GONE).replace("%", GONE.replace("}", "")).split("#", -1);
    var body = new StringBuilder();
    var expected = new StringBuilder();
    int images = 0;
    for (int i = 0; i < parts.length; i++) {
      if (i % 3 != 2) {
        body.append(parts[i]);
      }
      if (i % 3 != 1) {
        expected.append(parts[i]);
      } else {
        images++;
      }
    }
    var request = BodyEdits.utf8(body.toString());
    var edited = ImageRepair.strip(dialect, request, "").orElseThrow();
    assertThat(text(edited.body())).isEqualTo(expected.toString());
    assertThat(edited.before()).isEqualTo(images);
    assertThat(edited.after()).isZero();
    assertThat(ImageRepair.strip(dialect, edited.body(), "")).isEmpty();
  }

  @Test
  void theOldestGoFirstAndThreeAtMost() {
    var image = "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://x/%d.png\"}}";
    var content = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      content.append(i == 0 ? "" : ",").append(image.formatted(i));
    }
    var body = BodyEdits.utf8("{\"messages\":[{\"role\":\"user\",\"content\":[" + content + "]}]}");
    var once = ImageRepair.strip(Dialect.ANTHROPIC, body, "no image here").orElseThrow();
    assertThat(once.before()).isEqualTo(5);
    assertThat(once.after()).isEqualTo(2);
    assertThat(text(once.body())).doesNotContain("/2.png").contains("/3.png");
    assertThat(ImageRepair.strip(Dialect.ANTHROPIC, once.body(), "")).isEmpty();

    var byPlace =
        ImageRepair.strip(
                Dialect.ANTHROPIC,
                body,
                """
                {"type":"error","error":{"type":"invalid_request_error","message":\
                "messages.0.content.4.image.source.base64: image exceeds 5 MB maximum"}}\
                """)
            .orElseThrow();
    assertThat(text(byPlace.body())).doesNotContain("/4.png").contains("/3.png");
    assertThat(byPlace.after()).isEqualTo(4);
    var rest = ImageRepair.strip(Dialect.ANTHROPIC, byPlace.body(), "").orElseThrow();
    assertThat(rest.after()).isEqualTo(2);
    assertThat(ImageRepair.strip(Dialect.ANTHROPIC, rest.body(), "")).isEmpty();

    var byAddress =
        ImageRepair.strip(
                Dialect.ANTHROPIC, body, "{\"error\":\"Unable to download https://x/1.png\"}")
            .orElseThrow();
    assertThat(text(byAddress.body())).doesNotContain("/1.png").contains("/0.png");
    assertThat(ImageRepair.count(Dialect.ANTHROPIC, body)).isEqualTo(5);
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }
}
