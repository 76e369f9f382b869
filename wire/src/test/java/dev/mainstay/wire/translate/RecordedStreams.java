package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Streams in the form in which the providers send them, with fields that nobody here reads. */
final class RecordedStreams {
  static final WriterOptions OPTIONS = new WriterOptions(null, true, "id-0", 1_700_000_000);

  private RecordedStreams() {}

  /** By name, the dialect first. */
  static Map<String, String> all() {
    return Map.of(
        "OPENAI_CHAT text and usage", chatText(),
        "OPENAI_CHAT parallel calls", chatCalls(),
        "MISTRAL thinking and a call", mistral(),
        "ANTHROPIC thinking, text and calls", anthropic(),
        "ANTHROPIC web search", anthropicSearch(),
        "OPENAI_RESPONSES reasoning, text and a call", responses(),
        "OPENAI_RESPONSES refusal cut short", responsesIncomplete(),
        "GEMINI thoughts, text and a call", gemini(),
        "GEMINI grounded", geminiGrounded());
  }

  static String get(String name) {
    return Objects.requireNonNull(all().get(name), name);
  }

  static Dialect dialect(String name) {
    return Dialect.valueOf(name.substring(0, name.indexOf(' ')));
  }

  private static String data(String... events) {
    var out = new StringBuilder();
    for (var event : events) {
      out.append("data: ").append(event).append("\n\n");
    }
    return out.toString();
  }

  private static String named(String... events) {
    var out = new StringBuilder();
    for (var event : events) {
      int from = event.indexOf("\"type\":\"") + 8;
      out.append("event: ").append(event, from, event.indexOf('"', from));
      out.append("\ndata: ").append(event).append("\n\n");
    }
    return out.toString();
  }

  private static String chatText() {
    var head =
        "{\"id\":\"chatcmpl-AbC\",\"object\":\"chat.completion.chunk\",\"created\":1714000000,"
            + "\"model\":\"gpt-4o-2024-08-06\",\"service_tier\":\"default\","
            + "\"system_fingerprint\":\"fp_1\",\"choices\":";
    var tail = ",\"usage\":null,\"obfuscation\":\"aX\"}";
    return data(
        head
            + "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},"
            + "\"logprobs\":null,\"finish_reason\":null}]"
            + tail,
        head
            + "[{\"index\":0,\"delta\":{\"content\":\"Hel\"},\"logprobs\":{\"content\":[{\"token\":\"Hel\",\"logprob\":-0.01,\"bytes\":[72,101,108],\"top_logprobs\":[]}],\"refusal\":null},\"finish_reason\":null}]"
            + tail,
        head
            + "[{\"index\":0,\"delta\":{\"content\":\"lo 👩‍🚀\"},\"logprobs\":null,\"finish_reason\":null}]"
            + tail,
        head + "[{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"stop\"}]" + tail,
        head
            + "[],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29,\"prompt_tokens_details\":{\"cached_tokens\":8,\"audio_tokens\":0},\"completion_tokens_details\":{\"reasoning_tokens\":4}}}",
        "[DONE]");
  }

  private static String chatCalls() {
    var head =
        "{\"id\":\"chatcmpl-X\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-4o\",\"choices\":[{\"index\":0,\"delta\":";
    return data(
        head
            + "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}]},\"finish_reason\":null}]}",
        head
            + "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\"}}]},\"finish_reason\":null}]}",
        head
            + "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"Paris\\\"}\"}}]},\"finish_reason\":null}]}",
        head
            + "{\"tool_calls\":[{\"index\":1,\"id\":\"call_2\",\"type\":\"function\",\"function\":{\"name\":\"time\",\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}",
        head + "{},\"finish_reason\":\"tool_calls\"}]}",
        "[DONE]");
  }

  private static String mistral() {
    var head =
        "{\"id\":\"cmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"magistral-medium\",\"p\":\"abc\",\"choices\":[{\"index\":0,\"delta\":";
    return data(
        head + "{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}",
        head
            + "{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"Let me \"}]}]},\"finish_reason\":null}]}",
        head
            + "{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"see.\"}]}]},\"finish_reason\":null}]}",
        head + "{\"content\":\"So:\"},\"finish_reason\":null}]}",
        head
            + "{\"content\":\"\",\"tool_calls\":[{\"id\":\"D681PevKs\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\": 1}\"},\"index\":0}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":5,\"total_tokens\":12,\"completion_tokens\":7}}",
        "[DONE]");
  }

  private static String anthropic() {
    return named(
        "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_01\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":12,\"cache_creation_input_tokens\":3,\"cache_read_input_tokens\":40,\"output_tokens\":2,\"service_tier\":\"standard\"}}}",
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}",
        "{\"type\":\"ping\"}",
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Let me think.\"}}",
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"EqQBCgIYAhIM\"}}",
        "{\"type\":\"content_block_stop\",\"index\":0}",
        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"EmwKAhgB\"}}",
        "{\"type\":\"content_block_stop\",\"index\":1}",
        "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
        "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"I'll \"}}",
        "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"check.\"}}",
        "{\"type\":\"content_block_stop\",\"index\":2}",
        "{\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_01\",\"name\":\"weather\",\"input\":{}}}",
        "{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}",
        "{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"city\\\": \\\"Par\"}}",
        "{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"is\\\"}\"}}",
        "{\"type\":\"content_block_stop\",\"index\":3}",
        "{\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_02\",\"name\":\"time\",\"input\":{}}}",
        "{\"type\":\"content_block_stop\",\"index\":4}",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":89}}",
        "{\"type\":\"message_stop\"}");
  }

  private static String anthropicSearch() {
    return named(
        "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_02\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}",
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}}",
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\":\"}}",
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"weather\\\"}\"}}",
        "{\"type\":\"content_block_stop\",\"index\":0}",
        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":\"web_search_result\",\"title\":\"T\",\"url\":\"https://example.org\",\"encrypted_content\":\"Eqg\"}]}}",
        "{\"type\":\"content_block_stop\",\"index\":1}",
        "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"citations\":[],\"type\":\"text\",\"text\":\"\"}}",
        "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"Sunny.\"}}",
        "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"type\":\"web_search_result_location\",\"cited_text\":\"sun\",\"url\":\"https://example.org\",\"title\":\"T\",\"encrypted_index\":\"Eo8B\"}}}",
        "{\"type\":\"content_block_stop\",\"index\":2}",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"END\"},\"usage\":{\"output_tokens\":30,\"server_tool_use\":{\"web_search_requests\":1}}}",
        "{\"type\":\"message_stop\"}");
  }

  private static String responses() {
    var begun =
        "\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1741476542,\"status\":\"in_progress\",\"model\":\"gpt-5\",\"output\":[],\"tools\":[{\"type\":\"function\",\"name\":\"f\"}],\"usage\":null}}";
    return named(
        numbered(
            "response.created\"," + begun,
            "response.in_progress\"," + begun,
            "response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}}",
            "response.reasoning_summary_part.added\",\"item_id\":\"rs_1\",\"output_index\":0,\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}}",
            "response.reasoning_summary_text.delta\",\"item_id\":\"rs_1\",\"output_index\":0,\"summary_index\":0,\"delta\":\"**Plan**\"}",
            "response.reasoning_summary_text.done\",\"item_id\":\"rs_1\",\"output_index\":0,\"summary_index\":0,\"text\":\"**Plan**\"}",
            "response.reasoning_summary_part.done\",\"item_id\":\"rs_1\",\"output_index\":0,\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"**Plan**\"}}",
            "response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"**Plan**\"}],\"encrypted_content\":\"gAAAA\"}}",
            "response.output_item.added\",\"output_index\":1,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}",
            "response.content_part.added\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}}",
            "response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"delta\":\"Hi\",\"logprobs\":[]}",
            "response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"delta\":\" there\",\"logprobs\":[]}",
            "response.output_text.annotation.added\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"annotation_index\":0,\"annotation\":{\"type\":\"url_citation\",\"start_index\":0,\"end_index\":2,\"url\":\"https://example.org\",\"title\":\"T\"}}",
            "response.output_text.done\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"text\":\"Hi there\",\"logprobs\":[]}",
            "response.content_part.done\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"Hi there\",\"annotations\":[{\"type\":\"url_citation\",\"start_index\":0,\"end_index\":2,\"url\":\"https://example.org\",\"title\":\"T\"}]}}",
            "response.output_item.done\",\"output_index\":1,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi there\",\"annotations\":[{\"type\":\"url_citation\",\"start_index\":0,\"end_index\":2,\"url\":\"https://example.org\",\"title\":\"T\"}]}]}}",
            "response.output_item.added\",\"output_index\":2,\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"in_progress\",\"arguments\":\"\",\"call_id\":\"call_1\",\"name\":\"f\"}}",
            "response.function_call_arguments.delta\",\"item_id\":\"fc_1\",\"output_index\":2,\"delta\":\"{\\\"a\\\"\"}",
            "response.function_call_arguments.delta\",\"item_id\":\"fc_1\",\"output_index\":2,\"delta\":\":1}\"}",
            "response.function_call_arguments.done\",\"item_id\":\"fc_1\",\"output_index\":2,\"arguments\":\"{\\\"a\\\":1}\"}",
            "response.output_item.done\",\"output_index\":2,\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\",\"arguments\":\"{\\\"a\\\":1}\",\"call_id\":\"call_1\",\"name\":\"f\"}}",
            "response.completed\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1741476542,\"status\":\"completed\",\"model\":\"gpt-5\",\"output\":[],\"usage\":{\"input_tokens\":30,\"input_tokens_details\":{\"cached_tokens\":10},\"output_tokens\":22,\"output_tokens_details\":{\"reasoning_tokens\":12},\"total_tokens\":52}}}"));
  }

  private static String responsesIncomplete() {
    var begun =
        "\"response\":{\"id\":\"resp_2\",\"status\":\"in_progress\",\"model\":\"gpt-5\",\"output\":[]}}";
    return named(
        numbered(
            "response.created\"," + begun,
            "response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"msg_2\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}",
            "response.content_part.added\",\"item_id\":\"msg_2\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"refusal\",\"refusal\":\"\"}}",
            "response.refusal.delta\",\"item_id\":\"msg_2\",\"output_index\":0,\"content_index\":0,\"delta\":\"I can\"}",
            "response.refusal.delta\",\"item_id\":\"msg_2\",\"output_index\":0,\"content_index\":0,\"delta\":\"not\"}",
            "response.refusal.done\",\"item_id\":\"msg_2\",\"output_index\":0,\"content_index\":0,\"refusal\":\"I cannot\"}",
            "response.content_part.done\",\"item_id\":\"msg_2\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"refusal\",\"refusal\":\"I cannot\"}}",
            "response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"msg_2\",\"type\":\"message\",\"status\":\"incomplete\",\"role\":\"assistant\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"I cannot\"}]}}",
            "response.incomplete\",\"response\":{\"id\":\"resp_2\",\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"model\":\"gpt-5\",\"output\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":2,\"total_tokens\":5}}}"));
  }

  /** Events from their type on, with their numbers. */
  private static String[] numbered(String... events) {
    var all = new ArrayList<String>();
    for (var event : events) {
      all.add("{\"type\":\"" + event.replaceFirst("\"", "\",\"sequence_number\":" + all.size()));
    }
    return all.toArray(String[]::new);
  }

  private static String gemini() {
    var tail = ",\"modelVersion\":\"gemini-3-pro\",\"responseId\":\"r1\"}";
    var usage =
        "\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":4,\"totalTokenCount\":20,\"thoughtsTokenCount\":6,\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":10}]}";
    return data(
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"**Think**\",\"thought\":true}],\"role\":\"model\"},\"index\":0}],"
                + usage
                + tail,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Let me \"}],\"role\":\"model\"},\"index\":0}],"
                + usage
                + tail,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"look.\"}],\"role\":\"model\"},\"index\":0}],"
                + usage
                + tail,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":1.50}},\"thoughtSignature\":\"CpcC\"}],\"role\":\"model\"},\"index\":0}],"
                + usage
                + tail,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],"
                + usage
                + tail)
        .replace("\n\n", "\r\n\r\n");
  }

  private static String geminiGrounded() {
    var tail = ",\"modelVersion\":\"gemini-3-pro\",\"responseId\":\"r2\"}";
    return data(
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"日本 won.\"}],\"role\":\"model\"},\"index\":0}]"
                + tail,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0,\"groundingMetadata\":{\"groundingChunks\":[{\"web\":{\"uri\":\"https://example.org/a\",\"title\":\"A\"}}],\"groundingSupports\":[{\"segment\":{\"startIndex\":0,\"endIndex\":6},\"groundingChunkIndices\":[0]}],\"webSearchQueries\":[\"q\"]}}],\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":4,\"toolUsePromptTokenCount\":5,\"totalTokenCount\":19}"
                + tail)
        .replace("\n\n", "\r\n\r\n");
  }

  static List<String> names() {
    return all().keySet().stream().sorted().toList();
  }
}
