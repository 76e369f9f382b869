package dev.mainstay.wire.translate;

import static dev.mainstay.wire.Dialect.ANTHROPIC;
import static dev.mainstay.wire.Dialect.MISTRAL;
import static dev.mainstay.wire.Dialect.OPENAI_CHAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Body;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AnthropicToChatTest {
  private static Translation translate(String body, Dialect to, String model, boolean stream) {
    return Requests.translate(
        body.getBytes(StandardCharsets.UTF_8), ANTHROPIC, to, model, stream, OnLoss.DROP);
  }

  private static void gives(String anthropic, String chat, String... degraded) {
    var translation = translate(anthropic, OPENAI_CHAT, "gpt-5", true);
    assertThat(Body.read(translation.body()))
        .isEqualTo(Body.read(chat.getBytes(StandardCharsets.UTF_8)));
    assertThat(translation.degraded()).containsExactly(degraded);
  }

  @Test
  void aWholeConversationWithTools() {
    gives(
        """
        {"model":"assistant","max_tokens":1000,"stream":true,"stop_sequences":["END"],
         "system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be kind."}],
         "metadata":{"user_id":"u1"},
         "thinking":{"type":"enabled","budget_tokens":8000},
         "messages":[
          {"role":"user","content":[{"type":"text","text":"Read this."},
            {"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"aGk="}},
            {"type":"image","source":{"type":"url","url":"https://example.com/cat.png"}}]},
          {"role":"assistant","content":[
            {"type":"thinking","thinking":"hm","signature":"c2ln"},
            {"type":"text","text":"I will look."},
            {"type":"tool_use","id":"toolu_1","name":"look","input":{"x":1}}]},
          {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[
              {"type":"text","text":"broken"},
              {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},
            {"type":"text","text":"Try again."}]}],
         "tools":[{"name":"look","description":"Looks.","strict":true,"input_schema":{"type":"object","properties":{}}}],
         "tool_choice":{"type":"any","disable_parallel_tool_use":true}}
        """,
        """
        {"model":"gpt-5","stream":true,"stream_options":{"include_usage":true},
         "max_completion_tokens":1000,"stop":["END"],"user":"u1","reasoning_effort":"medium",
         "messages":[
          {"role":"system","content":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be kind."}]},
          {"role":"user","content":[{"type":"text","text":"Read this."},
            {"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="}},
            {"type":"image_url","image_url":{"url":"https://example.com/cat.png"}}]},
          {"role":"assistant","content":"I will look.","tool_calls":[
            {"id":"toolu_1","type":"function","function":{"name":"look","arguments":"{\\"x\\":1}"}}]},
          {"role":"tool","tool_call_id":"toolu_1","content":"broken"},
          {"role":"user","content":[
            {"type":"text","text":"Result of tool call toolu_1:"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}},
            {"type":"text","text":"Try again."}]}],
         "tools":[{"type":"function","function":{"name":"look","description":"Looks.","strict":true,
           "parameters":{"type":"object","properties":{}}}}],
         "tool_choice":"required","parallel_tool_calls":false}
        """,
        "tool-result-error",
        "tool-result-media");
  }

  @Test
  void idsAreFittedToMistralAlikeInCallAndResult() {
    var body =
        Body.read(
            translate(
                    """
                    {"model":"m","max_tokens":5,"messages":[
                      {"role":"user","content":"go"},
                      {"role":"assistant","content":[{"type":"tool_use","id":"toolu_01A","name":"f","input":{}}]},
                      {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01A","content":"ok"}]}]}
                    """,
                    MISTRAL,
                    "mistral-large-latest",
                    false)
                .body());
    var call = body.get("messages").get(1).get("tool_calls").get(0).get("id").asString();
    assertThat(call).matches("[a-zA-Z0-9]{9}");
    assertThat(body.get("messages").get(2).get("tool_call_id").asString()).isEqualTo(call);
    assertThat(body.get("messages").get(2).get("name").asString()).isEqualTo("f");
    assertThat(body.get("max_tokens").asLong()).isEqualTo(5);
  }

  @Test
  void whatAProviderKeepsIsRefused() {
    assertThatThrownBy(
            () ->
                translate(
                    """
                    {"model":"m","max_tokens":5,"messages":[{"role":"user","content":[
                      {"type":"document","source":{"type":"file","file_id":"file_1"}}]}]}
                    """,
                    OPENAI_CHAT,
                    "gpt-5",
                    false))
        .isInstanceOf(UntranslatableException.class)
        .hasMessage(
            "messages[0].content[0].source: a file that a provider keeps cannot be sent to a target"
                + " of openai-chat; leave it out, or use a target of anthropic");
  }
}
