package dev.mainstay.call.recording;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.Body;
import org.junit.jupiter.api.Test;

class SearchableTextTest {
  private static String text(Body.Part part, String body) {
    return SearchableText.INSTANCE.of(body.getBytes(UTF_8), part).strip();
  }

  private static String answer(String body) {
    return text(Body.Part.RESPONSE, body);
  }

  @Test
  void aRequestIsWhatWasSaidInIt() {
    assertThat(
            text(
                Body.Part.REQUEST,
                """
                {"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text","text":"Look at this"},
                {"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}],
                "tools":[{"type":"function","function":{"name":"refund","description":"Pays back."}}]}\
                """
                    .formatted("iVBORw0K".repeat(100))))
        .isEqualTo("Look at this\nrefund\nPays back.");
  }

  @Test
  void streamsOfEveryDialectArePutTogether() {
    assertThat(
            answer(
                """
                data: {"id":"a","object":"chat.completion.chunk","choices":[{"delta":{"role":"assistant","content":"re"}}]}

                data: {"id":"a","object":"chat.completion.chunk","choices":[{"delta":{"content":"fund"}}]}

                data: [DONE]
                """))
        .isEqualTo("refund");
    assertThat(
            answer(
                """
                event: content_block_delta
                data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"re"}}

                event: content_block_delta
                data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"fund"}}
                """))
        .isEqualTo("refund");
    assertThat(
            answer(
                """
                data: {"candidates":[{"content":{"role":"model","parts":[{"text":"re"}]}}],"modelVersion":"x","responseId":"y"}
                data: {"candidates":[{"content":{"role":"model","parts":[{"text":"fund"}]}}]}
                """))
        .isEqualTo("refund");
    assertThat(
            answer(
                """
                event: response.output_text.delta
                data: {"type":"response.output_text.delta","item_id":"msg_1","delta":"re","obfuscation":"zzz"}

                event: response.output_text.delta
                data: {"type":"response.output_text.delta","item_id":"msg_1","delta":"fund","obfuscation":"yyy"}
                """))
        .isEqualTo("refund");
  }

  @Test
  void whatIsNewOfALongRequestCountsAndTheBeginningOfALongAnswer() {
    var words = "{\"input\":\"first " + "word ".repeat(20_000) + "last\"}";
    assertThat(text(Body.Part.REQUEST, words)).hasSizeLessThan(33_000).endsWith("last");
    assertThat(answer(words)).hasSizeLessThan(33_000).startsWith("first");
  }

  @Test
  void whatIsNoJsonOrBreaksOffIsReadAsFarAsItGoes() {
    assertThat(answer("")).isEmpty();
    assertThat(answer(" ")).isEmpty();
    assertThat(answer("%PDF-1.7 words")).isEmpty();
    assertThat(answer("{\"content\":\"kept\",\"text\":\"lo")).isEqualTo("kept");
    assertThat(answer("data: {\"text\":\"kept\"}\ndata: {\"te")).isEqualTo("kept");
    assertThat(answer("\u0000\u0001\u0002{}")).isEmpty();
    assertThat(answer("[".repeat(100_000))).isEmpty();
  }
}
