package dev.mainstay.wire.continuation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.Delta;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

final class ContinuationRequestTest {
  private static final String SAID = "The harbour was quiet that morning, and ";
  private static final Delivered DELIVERED = Delivered.of(List.of(new Delta.Text(0, SAID)));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // dialect | prefill | request | request for the rest
        "ANTHROPIC|LAST_MESSAGE"
            + "|{'model':'m','max_tokens':100,'thinking':{'type':'enabled','budget_tokens':50},'output_config':{'format':{'type':'json_schema'},'effort':'low'},'messages':[{'role':'user','content':'q'}],'stream':true,'temperature':0.10}|{'model':'m','max_tokens':90,'output_config':{'effort':'low'},'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'The"
            + " harbour was quiet that morning, and'}],'stream':true,'temperature':0.10}",
        "ANTHROPIC|LAST_MESSAGE|{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'Story:"
            + " '}],'max_tokens':5}|{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'Story:"
            + " The harbour was quiet that morning, and'}],'max_tokens':1}",
        "ANTHROPIC|LAST_MESSAGE"
            + "|{'messages':[{'role':'assistant','content':[{'type':'text','text':'S'}]}],'context_management':{'edits':[{'type':'clear_thinking_20251015'}]}}|{'messages':[{'role':'assistant','content':[{'type':'text','text':'S'},{'type':'text','text':'The"
            + " harbour was quiet that morning, and'}]}]}",
        "MISTRAL|PREFIX_FLAG"
            + "|{'messages':[{'role':'user','content':'q'}],'response_format':{'type':'json_object'},'stop':['x']}|{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'The"
            + " harbour was quiet that morning, and','prefix':true}],'stop':['x']}",
        "MISTRAL|PREFIX_FLAG|{'messages':[{'role':'assistant','content':'The"
            + " har','prefix':true}]}|{'messages':[{'role':'assistant','content':'The harbour was"
            + " quiet that morning, and','prefix':true}]}",
        "GEMINI|LAST_MESSAGE"
            + "|{'contents':[{'role':'user','parts':[{'text':'q'}]}],'generationConfig':{'maxOutputTokens':100,'responseMimeType':'application/json','responseSchema':{},'topK':3}}|{'contents':[{'role':'user','parts':[{'text':'q'}]},{'role':'model','parts':[{'text':'The"
            + " harbour was quiet that morning,"
            + " and'}]}],'generationConfig':{'maxOutputTokens':90,'topK':3}}",
        "OPENAI_CHAT|LAST_MESSAGE"
            + "|{'messages':[{'role':'user','content':'q'}],'max_completion_tokens':11,'tools':[{}],'tool_choice':'auto'}|{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'The"
            + " harbour was quiet that morning,"
            + " and'}],'max_completion_tokens':1,'tools':[{}],'tool_choice':'auto'}",
        "OPENAI_CHAT|CONTINUE_FLAG"
            + "|{'messages':[{'role':'user','content':'q'}],'max_tokens':100}|{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'The"
            + " harbour was quiet that morning,"
            + " and'}],'max_tokens':90,'continue_final_message':true,'add_generation_prompt':false}",
        "OPENAI_CHAT|PARTIAL_FLAG"
            + "|{'messages':[{'role':'user','content':'q'}],'response_format':{'type':'json_object'}}|{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'The"
            + " harbour was quiet that morning, and','partial':true}]}",
        "OPENAI_RESPONSES|LAST_MESSAGE"
            + "|{'input':'q','text':{'format':{'type':'json_object'},'verbosity':'low'},'max_output_tokens':20}|{'input':[{'role':'user','content':'q'},{'role':'assistant','content':'The"
            + " harbour was quiet that morning,"
            + " and'}],'text':{'verbosity':'low'},'max_output_tokens':16}",
      })
  void aPrefillStandsAtTheEnd(Dialect dialect, Prefill prefill, String body, String expected) {
    var request = ContinuationRequest.of(bytes(body), dialect, DELIVERED, Mode.PREFILL, prefill);
    assertThat(tree(request.body())).isEqualTo(tree(bytes(expected)));
    assertThat(request.trimmed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "ANTHROPIC|/messages/1/role|/messages/1/content|/messages/2/content|{'messages':[{'role':'user','content':'q'}]}",
        "OPENAI_CHAT|/messages/1/role|/messages/1/content|/messages/2/content|{'messages':[{'role':'user','content':'q'}]}",
        "MISTRAL|/messages/1/role|/messages/1/content|/messages/2/content|{'messages':[{'role':'user','content':'q'}]}",
        "OPENAI_RESPONSES|/input/1/role|/input/1/content|/input/2/content|{'input':[{'role':'user','content':'q'}]}",
        "GEMINI|/contents/1/role|/contents/1/parts/0/text|/contents/2/parts/0/text|{'contents':[{'parts':[{'text':'q'}]}]}",
      })
  void anInstructionFollowsTheText(
      Dialect dialect, String role, String said, String instruction, String body) {
    var request =
        ContinuationRequest.of(bytes(body), dialect, DELIVERED, Mode.INSTRUCTION, Prefill.NONE);
    var tree = tree(request.body());
    assertThat(tree.at(role).asString()).isIn("assistant", "model");
    assertThat(tree.at(said).asString()).startsWith(SAID.strip());
    assertThat(tree.at(instruction).asString())
        .contains("cut off")
        .endsWith("\n---\nharbour was quiet that morning, and\n---");
    assertThat(tree.toString()).doesNotContain("\"prefix\"");
  }

  @Test
  void withJsonTheInstructionSaysThatItGoesOn() {
    var delivered = Delivered.of(List.of(new Delta.Text(0, "{\"name\": \"An")));
    var request =
        ContinuationRequest.of(
            bytes(
                "{'messages':[],'response_format':{'type':'json_schema','json_schema':{'schema':{'required':['name']}}}}"),
            Dialect.OPENAI_CHAT,
            delivered,
            Mode.INSTRUCTION,
            Prefill.NONE);
    assertThat(request.json()).isTrue();
    assertThat(tree(request.body()).at("/messages/1/content").asString())
        .contains("one JSON value")
        .contains("{\"required\":[\"name\"]}");
    assertThat(tree(request.body()).has("response_format")).isFalse();
  }

  @Test
  void aRestartIsTheSameRequest() {
    byte[] body = bytes("{ 'messages' : [] }");
    var request =
        ContinuationRequest.of(body, Dialect.OPENAI_CHAT, DELIVERED, Mode.RESTART, Prefill.NONE);
    assertThat(request.body()).isSameAs(body);
  }

  @Test
  void theAnchorIsFoundOnceInTheText() {
    assertThat(ContinuationInstruction.anchor("short")).isEqualTo("short");
    String text = "a line that is said again and again\n".repeat(9) + "and one that is not, 🙂";
    String anchor = ContinuationInstruction.anchor(text);
    assertThat(text).endsWith(anchor).doesNotEndWith(anchor + anchor);
    assertThat(text.indexOf(anchor)).isEqualTo(text.length() - anchor.length());
    assertThat(ContinuationInstruction.anchor("🙂".repeat(500)).codePointAt(0)).isEqualTo(0x1f642);
  }

  @Test
  void nothingOfABodyThatCannotBeReadIsInTheError() {
    assertThatThrownBy(
            () ->
                ContinuationRequest.of(
                    bytes("secret"), Dialect.GEMINI, DELIVERED, Mode.PREFILL, Prefill.LAST_MESSAGE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
  }

  private static JsonNode tree(byte[] body) {
    return Tree.read(body, 0, body.length);
  }

  private static byte[] bytes(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
