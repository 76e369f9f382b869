package dev.mainstay.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.simulator.junit.SimulatedProviders;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What real providers refuse is refused, in their words; what they take is taken. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SimulatedProviders
class RefusalsTest {
  private static final String CALLS =
      "{role:'user',content:'hi'},{role:'assistant',content:null,tool_calls:[{id:'abcdefgh1',"
          + "type:'function',function:{name:'look',arguments:'{}'}}]}";
  private static final String USES =
      "{role:'user',content:'hi'},{role:'assistant',content:[{type:'tool_use',id:'t1',name:'look',"
          + "input:{}}]}";
  private static final String FUNCTION =
      "{role:'user',parts:[{text:'hi'}]},{role:'model',parts:[{functionCall:{name:'look',args:{}}}]}";

  @SuppressWarnings("NullAway.Init")
  private static Simulator simulator;

  @SuppressWarnings("NullAway.Init")
  private static SimulatorClient ask;

  @BeforeAll
  static void start(Simulator running) {
    simulator = running;
    ask = new SimulatorClient(running);
  }

  @AfterAll
  static void stop() {
    ask.close();
  }

  /** JSON with single quotes and without any around names. */
  private static String json(String loose) {
    return loose
        .replace("$CALLS", CALLS)
        .replace("$USES", USES)
        .replace("$FUNCTION", FUNCTION)
        .replaceAll("([{,])(\\w+):", "$1\"$2\":")
        .replace('\'', '"');
  }

  private static String path(String provider) {
    return switch (provider) {
      case "openai" -> "/v1/chat/completions";
      case "responses" -> "/v1/responses";
      case "mistral" -> "/mistral/v1/chat/completions";
      case "anthropic" -> "/v1/messages";
      default -> "/v1beta/models/" + provider + ":generateContent";
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "openai|{model:'m',messages:[]}|400|empty array",
        "openai|{model:'m',messages:[{role:'user',content:'hi'}],top_k:3}|400|Unrecognized request"
            + " argument supplied: top_k",
        "openai|{model:'m',messages:[{role:'bot',content:'hi'}]}|400|Supported values are:"
            + " 'system'",
        "openai|{model:'m',messages:[{role:'user',content:'hi',cache_control:{}}]}|400|messages[0].cache_control",
        "openai|{model:'m',messages:[{role:'user',content:null}]}|400|expected a string, got null",
        "openai|{model:'m',messages:[{role:'user',content:[{type:'image_url',image_url:{url:'data:image/png;base64,-_-_'}}]}]}|400|image_url.url",
        "openai|{model:'m',messages:[$CALLS]}|400|must be followed by tool messages",
        "openai|{model:'m',messages:[$CALLS,{role:'user',content:'and?'}]}|400|abcdefgh1",
        "openai|{model:'m',messages:[$CALLS,{role:'tool',tool_call_id:'other',content:'1'}]}|400|must"
            + " be a response to a preceeding message",
        "openai|{model:'m',messages:[{role:'tool',tool_call_id:'x',content:'1'}]}|400|must be a"
            + " response to a preceeding message",
        "openai|{model:'gpt-5',max_tokens:9,messages:[{role:'user',content:'hi'}]}|400|max_completion_tokens",
        "openai|{model:'gpt-5.1',reasoning_effort:'minimal',messages:[{role:'user',content:'hi'}]}|400|Unsupported"
            + " value: 'minimal'",
        "openai|{model:'m',tool_choice:'auto',messages:[{role:'user',content:'hi'}]}|400|only"
            + " allowed when 'tools'",
        "openai|{model:'m',stream_options:{include_usage:true},messages:[{role:'user',content:'hi'}]}|400|only"
            + " allowed when 'stream'",
        "responses|{model:'m'}|400|Missing required parameter: 'input'",
        "responses|{model:'m',input:'hi',messages:[]}|400|Unknown parameter: 'messages'",
        "responses|{model:'m',input:[{type:'function_call_output',call_id:'c',output:'1'}]}|400|No"
            + " tool call found",
        "responses|{model:'m',input:[{type:'function_call',call_id:'c',name:'f',arguments:'{}'}]}|400|No"
            + " tool output found for function call c",
        "responses|{model:'m',input:[{role:'assistant',content:[{type:'input_text',text:'x'}]}]}|400|'output_text'",
        "mistral|{model:'m',messages:[{role:'user',content:'hi'}],stream_options:{}}|422|Extra"
            + " inputs are not permitted",
        "mistral|{model:'m',messages:[{role:'user',content:'hi',name:'ann'}]}|422|extra_forbidden",
        "mistral|{model:'m',messages:[{role:'developer',content:'hi'}]}|422|'developer'",
        "mistral|{model:'m',messages:[{role:'user',content:'hi'},{role:'assistant',content:'yes'}]}|400|Expected"
            + " last role User or Tool",
        "mistral|{model:'m',messages:[{role:'user',content:'hi'},{role:'assistant',content:''}]}|400|either"
            + " content or tool_calls",
        "mistral|{model:'m',messages:[$CALLS,{role:'tool',tool_call_id:'abcdefgh1',content:'1'},{role:'user',content:'x'}]}|400|Unexpected"
            + " role 'user' after role 'tool'",
        "mistral|{model:'m',messages:[$CALLS,{role:'user',content:'x'}]}|400|Not the same number",
        "mistral|{model:'m',messages:[{role:'user',content:'hi'},{role:'assistant',tool_calls:[{id:'call_1',function:{name:'f',arguments:'{}'}}]},{role:'tool',tool_call_id:'call_1',content:'1'}]}|400|with"
            + " a length of 9",
        "anthropic|{model:'m',messages:[{role:'user',content:'hi'}]}|400|max_tokens: Field"
            + " required",
        "anthropic|{model:'m',max_tokens:9,messages:[]}|400|at least one message",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'user',content:'hi'}],n:2}|400|n: Extra"
            + " inputs are not permitted",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'system',content:'hi'}]}|400|top-level"
            + " `system`",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'user',content:''}]}|400|non-empty"
            + " content",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'user',content:[{type:'text',text:''}]}]}|400|must"
            + " be non-empty",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'user',content:'hi'},{role:'assistant',content:'So:"
            + " '}]}|400|trailing whitespace",
        "anthropic|{model:'m',max_tokens:9,messages:[$USES,{role:'user',content:'x'}]}|400|without"
            + " `tool_result` blocks immediately after: t1",
        "anthropic|{model:'m',max_tokens:9,messages:[$USES,{role:'user',content:[{type:'text',text:'x'},{type:'tool_result',tool_use_id:'t1'}]}]}|400|immediately"
            + " after",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'user',content:[{type:'tool_result',tool_use_id:'t1'}]}]}|400|unexpected"
            + " `tool_use_id`",
        "anthropic|{model:'m',max_tokens:9,messages:[{role:'user',content:[{type:'image',source:{type:'base64',media_type:'image/png',data:'-_-_'}}]}]}|400|invalid"
            + " base64",
        "anthropic|{model:'m',max_tokens:9,thinking:{type:'enabled',budget_tokens:2000},messages:[{role:'user',content:'hi'}]}|400|greater"
            + " than `thinking.budget_tokens`",
        "anthropic|{model:'claude-opus-4-8',max_tokens:9000,thinking:{type:'enabled',budget_tokens:2000},messages:[{role:'user',content:'hi'}]}|400|thinking.type.adaptive",
        "gemini-3-flash|{contents:[]}|400|contents is not specified",
        "gemini-3-flash|{messages:[]}|400|Unknown name `messages`",
        "gemini-3-flash|{contents:[{role:'assistant',parts:[{text:'x'}]}]}|400|valid role",
        "gemini-3-flash|{contents:[{role:'user',parts:[]}]}|400|parts must not be empty",
        "gemini-3-flash|{contents:[{role:'user',parts:[{thought:true}]}]}|400|required oneof field"
            + " 'data'",
        "gemini-3-flash|{contents:[{role:'user',parts:[{inlineData:{mimeType:'image/png',data:'%%%'}}]}]}|400|Base64"
            + " decoding failed",
        "gemini-3-flash|{contents:[$FUNCTION,{role:'user',parts:[{text:'x'}]}]}|400|number of"
            + " function response parts",
        "gemini-3-flash|{contents:[$FUNCTION,{role:'user',parts:[{functionResponse:{name:'look',response:{}}}]}]}|400|missing"
            + " a thought_signature",
        "gemini-3-flash|{contents:[{role:'user',parts:[{functionResponse:{name:'look',response:{}}}]}]}|400|immediately"
            + " after a function call",
        "gemini-3-flash|{contents:[{parts:[{text:'x'}]}],generationConfig:{thinkingConfig:{thinkingLevel:'LOW',thinkingBudget:5}}}|400|only"
            + " one of thinking budget",
        "gemini-2.5-flash|{contents:[{parts:[{text:'x'}]}],generationConfig:{thinkingConfig:{thinkingLevel:'LOW'}}}|400|not"
            + " supported for this model"
      })
  void refuses(String provider, String body, int status, String words) throws Exception {
    var answer = ask.post(path(provider), json(body));
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body().replace("\\\"", "`")).contains(words);
    assertThat(simulator.log().getLast().answer().step()).startsWith("refused: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "openai|{model:'m',messages:[$CALLS,{role:'tool',tool_call_id:'abcdefgh1',content:'1'},{role:'user',content:'x'}]}",
        "openai|{model:'m',user:'u',seed:1,messages:[{role:'developer',content:'x'},{role:'user',content:[{type:'image_url',image_url:{url:'data:image/png;base64,aGk='}}]}]}",
        "responses|{model:'m',input:[{role:'user',content:'x'},{type:'function_call',call_id:'c',name:'f',arguments:'{}'},{type:'function_call_output',call_id:'c',output:'1'}]}",
        "mistral|{model:'m',safe_prompt:true,messages:[$CALLS,{role:'tool',tool_call_id:'abcdefgh1',content:'1'}]}",
        "anthropic|{model:'m',max_tokens:9,messages:[$USES,{role:'user',content:[{type:'tool_result',tool_use_id:'t1'},{type:'text',text:'x'}]}]}",
        "gemini-2.5-flash|{system_instruction:{parts:[{text:'x'}]},contents:[$FUNCTION,{role:'user',parts:[{function_response:{name:'look',response:{}}}]}]}",
        "gemini-2.5-flash|{contents:[{parts:[{inline_data:{mime_type:'image/png',data:'-_-_-w'}}]}]}"
      })
  void takes(String provider, String body) throws Exception {
    var answer = ask.post(path(provider), json(body));
    assertThat(answer.body()).contains("Everything went well");
  }

  /** What is refused was not asked: it uses up no step of a script. */
  @Test
  void aRefusalUsesUpNoStep() throws Exception {
    simulator.script(Script.of("m", Step.answering(Answer.ofText("First."))));
    assertThat(ask.post("/v1/chat/completions", "{\"model\":\"m\"}").statusCode()).isEqualTo(400);
    assertThat(ask.chat("m", false).body()).contains("First.");
    simulator.script(Script.EMPTY);
  }
}
