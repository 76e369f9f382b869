package dev.mainstay.wire.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An event that is like the last one is read as if there had been no last one. */
final class LikeEventsTest {
  private static final int STREAMS = Integer.getInteger("mainstay.histories", 200_000) / 50;
  private static final byte[] SUSPECTS = "\"\\{}[]:,x01-.e \t\u0001\u007f".getBytes(UTF_8);
  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "The quick ",
          "é日本👩",
          "\\n",
          "\\\"",
          "\\u00e9",
          "{",
          "}",
          "\\\\",
          "stop",
          "error",
          "a text of more than sixteen bytes, and an emoji 👍 at its end");

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void readTheSame(Dialect dialect) {
    long seed = Long.getLong("mainstay.seed", 1L);
    int again = 0;
    for (int i = 0; i < STREAMS; i++) {
      var of = "seed " + (seed + i) + ": %s";
      var random = new Random(seed + i);
      var remembering = Readers.stream(dialect);
      var forgetful = Readers.stream(dialect);
      var parts = new ArrayList<Part>();
      var told = new ArrayList<String>();
      var template = template(dialect, random);
      for (int event = 0; event < 12; event++) {
        if (random.nextInt(5) == 0) {
          template = template(dialect, random);
        }
        byte[] bytes = event(template, random);
        told.add(new String(bytes, UTF_8));
        new SseScanner()
            .feed(
                bytes,
                0,
                bytes.length,
                each -> {
                  forgetful.forget();
                  var part = forgetful.read(each);
                  parts.add(part);
                  assertThat(remembering.read(each)).as(of, told).isEqualTo(part);
                  return true;
                });
        assertThat(state(remembering)).as(of, told).isEqualTo(state(forgetful));
      }
      again += parts.contains(Part.MALFORMED) ? 0 : 1;
    }
    assertThat(again).as("streams without a mistake").isBetween(STREAMS / 20, STREAMS);
  }

  private static String state(StreamReader reader) {
    return String.join(
        "|",
        String.valueOf(reader.usage()),
        String.valueOf(reader.ended()),
        String.valueOf(reader.finish()),
        String.valueOf(reader.responseId()),
        String.valueOf(reader.model()),
        String.valueOf(reader.contentBytes()));
  }

  /** One of a template's events, which has a text at each § and a number at each #. */
  private static byte[] event(String template, Random random) {
    var out = new StringBuilder();
    for (int i = 0; i < template.length(); i++) {
      char c = template.charAt(i);
      switch (c) {
        case '§' -> out.append(TEXTS.get(random.nextInt(TEXTS.size())));
        case '#' -> out.append(random.nextInt(4) == 0 ? "1.5e3" : "" + random.nextInt(1000));
        default -> out.append(c);
      }
    }
    var json = out.toString().getBytes(UTF_8);
    if (random.nextInt(12) == 0) {
      int at = random.nextInt(json.length);
      byte[] more = new byte[json.length + 1];
      System.arraycopy(json, 0, more, 0, at);
      System.arraycopy(json, at, more, at + 1, json.length - at);
      if (random.nextBoolean()) {
        more[at] = SUSPECTS[random.nextInt(SUSPECTS.length)];
        json = more;
      } else if (json[at] != '\n') {
        json[at] =
            (byte)
                (random.nextBoolean()
                    ? random.nextInt(14, 256)
                    : SUSPECTS[random.nextInt(SUSPECTS.length)]);
      }
    }
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(json);
    bytes.writeBytes("\n\n".getBytes(UTF_8));
    return bytes.toByteArray();
  }

  private static String template(Dialect dialect, Random random) {
    var all =
        switch (dialect) {
          case OPENAI_CHAT, MISTRAL -> CHAT;
          case OPENAI_RESPONSES -> RESPONSES;
          case ANTHROPIC -> ANTHROPIC;
          case GEMINI -> GEMINI;
        };
    return all.get(random.nextInt(all.size()));
  }

  private static final List<String> CHAT =
      List.of(
          "data: {\"id\":\"c1\",\"created\":#,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"§\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null,\"obfuscation\":\"§\"}",
          "data: {\"id\":\"§\",\"choices\":[{\"index\":#,\"delta\":{\"role\":\"§\",\"content\":\"§\"},\"finish_reason\":null}]}",
          "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"§\",\"content\":\"§\"}}]}",
          "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"§\"}}]}}]}",
          "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"text\":\"§\"}]}]}}]}",
          "data: {\"choices\":[{\"delta\":{\"content\":\"§\"},\"finish_reason\":\"§\"}]}",
          "data: {\"object\":\"§\",\"choices\":[{\"delta\":{\"content\":\"§\"}}],\"usage\":{\"prompt_tokens\":#,\"completion_tokens\":#}}",
          "event: §\ndata: {\"choices\":[{\"delta\":{\"content\":\"§\"}}],\"error\":\"§\"}",
          "data: [DONE]",
          "data: {\"a\":\"§\",\"b\":\"§\",\"c\":#,\"d\":\"§\",\"e\":\"§\",\"f\":#,\"g\":\"§\",\"choices\":[{\"delta\":{\"content\":\"§\"}}]}");

  private static final List<String> RESPONSES =
      List.of(
          "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":#,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"§\",\"logprobs\":[],\"obfuscation\":\"§\"}",
          "data: {\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":#,\"delta\":\"§\"}",
          "data: {\"type\":\"response.reasoning_text.delta\",\"delta\":\"§\"}",
          "event: §\ndata: {\"sequence_number\":#,\"delta\":\"§\"}",
          "data: {\"type\":\"response.§\",\"delta\":\"§\"}",
          "data: {\"type\":\"response.output_text.delta\",\"delta\":\"§\",\"response\":{\"id\":\"§\",\"status\":\"§\",\"usage\":{\"input_tokens\":#}}}",
          "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"§\",\"usage\":{\"input_tokens\":#}}}",
          "data: {\"type\":\"response.output_item.added\",\"sequence_number\":#,\"item\":{\"type\":\"function_call\",\"id\":\"§\"}}");

  private static final List<String> ANTHROPIC =
      List.of(
          "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":#,\"delta\":{\"type\":\"text_delta\",\"text\":\"§\"}   }",
          "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"§\"}}",
          "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"§\"}}",
          "event: §\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"§\"}}",
          "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"§\",\"stop_reason\":\"§\"},\"usage\":{\"output_tokens\":#}}",
          "data: {\"type\":\"content_block_start\",\"index\":#,\"content_block\":{\"type\":\"tool_use\",\"id\":\"§\"}}",
          "data: {\"type\":\"message_start\",\"message\":{\"id\":\"§\",\"usage\":{\"input_tokens\":#}}}",
          "data: {\"type\":\"message_stop\"}");

  private static final List<String> GEMINI =
      List.of(
          "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"§\"}],\"role\":\"model\"},\"index\":0}],\"modelVersion\":\"g\",\"responseId\":\"r\",\"createTime\":\"§\"}",
          "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"§\",\"thought\":true},{\"text\":\"§\"}]}}]}",
          "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"§\"}]}}],\"usageMetadata\":{\"promptTokenCount\":#,\"candidatesTokenCount\":#}}",
          "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"§\"}]},\"finishReason\":\"§\"}]}",
          "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"§\"}}]}}]}",
          "event: §\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"§\"}]}}],\"x\":#}",
          "data: {\"promptFeedback\":{\"blockReason\":\"§\"},\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}");
}
