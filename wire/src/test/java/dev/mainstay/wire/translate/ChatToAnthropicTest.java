package dev.mainstay.wire.translate;

import static dev.mainstay.wire.Dialect.ANTHROPIC;
import static dev.mainstay.wire.Dialect.OPENAI_CHAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.translate.request.Body;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ChatToAnthropicTest {
  private static final String MODEL = "claude-sonnet-4-5";

  private static Translation translate(String body) {
    return translate(body, MODEL, OnLoss.DROP);
  }

  private static Translation translate(String body, String model, OnLoss onLoss) {
    return Requests.translate(
        body.getBytes(StandardCharsets.UTF_8), OPENAI_CHAT, ANTHROPIC, model, false, onLoss);
  }

  private static void gives(String chat, String anthropic, String... degraded) {
    var translation = translate(chat);
    assertThat(Body.read(translation.body()))
        .isEqualTo(Body.read(anthropic.getBytes(StandardCharsets.UTF_8)));
    assertThat(translation.degraded()).containsExactly(degraded);
  }

  @Test
  void aWholeConversationWithTools() {
    gives(
        """
        {"model":"assistant","stream":false,"temperature":0.2,"max_tokens":100,"stop":["END"],"user":"u1",
         "messages":[
          {"role":"system","content":"Be brief."},
          {"role":"user","content":[{"type":"text","text":"What is this?"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},
          {"role":"assistant","content":null,"tool_calls":[
            {"id":"call_1","type":"function","function":{"name":"look","arguments":"{\\"x\\": 1.50}"}},
            {"id":"call_2","type":"function","function":{"name":"time","arguments":""}}]},
          {"role":"tool","tool_call_id":"call_1","content":"a cat"},
          {"role":"tool","tool_call_id":"call_2","content":"noon"},
          {"role":"user","content":"And now?"}],
         "tools":[{"type":"function","function":{"name":"look","description":"Looks.",
            "parameters":{"type":"object","properties":{"x":{"type":"number"}}}}},
           {"type":"function","function":{"name":"time"}}],
         "tool_choice":"auto","parallel_tool_calls":false}
        """,
        """
        {"model":"claude-sonnet-4-5","max_tokens":100,"system":"Be brief.",
         "messages":[
          {"role":"user","content":[{"type":"text","text":"What is this?"},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},
          {"role":"assistant","content":[
            {"type":"tool_use","id":"call_1","name":"look","input":{"x":1.50}},
            {"type":"tool_use","id":"call_2","name":"time","input":{}}]},
          {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"call_1","content":"a cat"},
            {"type":"tool_result","tool_use_id":"call_2","content":"noon"},
            {"type":"text","text":"And now?"}]}],
         "tools":[{"name":"look","description":"Looks.",
            "input_schema":{"type":"object","properties":{"x":{"type":"number"}}}},
           {"name":"time","input_schema":{"type":"object","properties":{}}}],
         "tool_choice":{"type":"auto","disable_parallel_tool_use":true},
         "stop_sequences":["END"],"temperature":0.2,"metadata":{"user_id":"u1"}}
        """);
  }

  @Test
  void whatIsLostIsSaid() {
    gives(
        """
        {"model":"m","messages":[{"role":"user","content":"hi","name":"ann"}],
         "seed":7,"logit_bias":{"1":2},"n":1,"store":false,"presence_penalty":0.0,"max_tokens":5,"color":"red"}
        """,
        """
        {"model":"claude-sonnet-4-5","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}
        """,
        "logit-bias",
        "participant-name",
        "seed",
        "unknown-field");
  }

  @Test
  void whatIsLostIsRefusedWhereTheSettingIsSo() {
    assertThatThrownBy(
            () ->
                translate(
                    """
                    {"model":"m","messages":[{"role":"user","content":"hi"}],"seed":7}
                    """,
                    MODEL,
                    OnLoss.REFUSE))
        .isInstanceOf(LossRefusedException.class)
        .hasMessage(
            "seed: a target of anthropic is not told seed, and losses are refused; leave it out,"
                + " allow losses, or use a target of openai-chat");
  }

  @Test
  void severalAnswersAreRefused() {
    assertThatThrownBy(
            () ->
                translate(
                    """
                    {"model":"m","messages":[{"role":"user","content":"hi"}],"n":2}
                    """))
        .isInstanceOf(UntranslatableException.class)
        .hasMessageStartingWith("n: choices cannot be said to a target of anthropic");
  }

  @Test
  void aWrongTypeIsNamedByItsPath() {
    assertThatThrownBy(
            () ->
                translate(
                    """
                    {"model":"m","messages":[{"role":"user","content":"hi"},{"role":"user","content":7}]}
                    """))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage("messages[1].content: is a number and must be a string or a list of parts");
  }

  @Test
  void withoutALimitTheModelsOwnIsSaid() {
    var body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    assertThat(maxTokens(body, "claude-opus-4-1")).isEqualTo(32_000);
    assertThat(maxTokens(body, "claude-3-5-haiku-20241022")).isEqualTo(8_192);
    assertThat(maxTokens(body, "claude-haiku-4-5-20251001")).isEqualTo(64_000);
    assertThat(maxTokens(body, "claude-3-opus-20240229")).isEqualTo(4_096);
    assertThat(maxTokens(body, "kimi-k2")).isEqualTo(8_192);
  }

  private static long maxTokens(String body, String model) {
    return Body.read(translate(body, model, OnLoss.DROP).body()).get("max_tokens").asLong();
  }

  @Test
  void effortBecomesABudgetOrAnEffort() {
    var body =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
            + "\"reasoning_effort\":\"medium\",\"max_tokens\":20000,\"temperature\":0.5}";
    var older = Body.read(translate(body).body());
    assertThat(older.get("thinking"))
        .isEqualTo(Body.parse("{\"type\":\"enabled\",\"budget_tokens\":8192}"));
    assertThat(older.has("temperature")).isFalse();
    var newer = Body.read(translate(body, "claude-opus-4-7", OnLoss.DROP).body());
    assertThat(newer.get("thinking")).isEqualTo(Body.parse("{\"type\":\"adaptive\"}"));
    assertThat(newer.get("output_config")).isEqualTo(Body.parse("{\"effort\":\"medium\"}"));
    assertThat(translate(body).degraded()).containsExactly("temperature");
  }

  @Test
  void aModelWhoseNameTellsNoVersionIsTakenForTheNewest() {
    var body =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"temperature\":0.5,\"reasoning_effort\":\"high\"}";
    var newest = translate(body, "claude-mythos-preview", OnLoss.DROP);
    assertThat(newest.degraded()).containsExactly("temperature");
    assertThat(Body.read(newest.body()).get("thinking"))
        .isEqualTo(Body.parse("{\"type\":\"adaptive\"}"));
    var other = Body.read(translate(body, "kimi-k2", OnLoss.DROP).body());
    assertThat(other.get("thinking").get("type")).isEqualTo(Body.of("enabled"));
  }

  @Test
  void thinkingIsLeftOutWhereAToolMustBeCalled() {
    gives(
        """
        {"model":"m","messages":[{"role":"user","content":"hi"}],"reasoning_effort":"high","max_tokens":9,
         "tools":[{"type":"function","function":{"name":"f"}}],
         "tool_choice":{"type":"function","function":{"name":"f"}}}
        """,
        """
        {"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],
         "tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],
         "tool_choice":{"type":"tool","name":"f"}}
        """,
        "reasoning-effort");
  }
}
