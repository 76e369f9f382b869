package dev.mainstay.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.request.ObjectIds;
import dev.mainstay.wire.request.RequestReader;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ObjectIdsTest {
  private static List<String> named(Operation operation, String json) throws Exception {
    var body = json.replace('\'', '"').getBytes(UTF_8);
    return ObjectIds.named(body, RequestReader.read(operation, body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "RESPONSES;{'previous_response_id':'resp_1'};resp_1",
        "RESPONSES;{'conversation':'conv_1'};conv_1",
        "RESPONSES;{'conversation':{'id':'conv_1'}};conv_1",
        "RESPONSES;{'input':[{'content':[{'type':'input_file','file_id':'file-1'}]}]};file-1",
        "RESPONSES;{'tools':[{'type':'file_search','vector_store_ids':['vs_1','vs_2']}]};vs_1,vs_2",
        "RESPONSES;{'tools':[{'container':{'type':'auto','file_ids':['file-1']}}]};file-1",
        "RESPONSES;{'previous_response\\u005fid':'\\u0072esp_1'};resp_1",
        "CHAT;{'messages':[{'content':[{'type':'file','file':{'file_id':'file-1'}}]}]};file-1",
        "RESPONSES;{'tools':[{'type':'file_search','vector_store\\u005fids':['vs_1']}]};vs_1",
        "CHAT;{'tools':[{'type':'document_library','library_ids':['lib_1','lib_2']}]};lib_1,lib_2",
        "MESSAGES;{'container':'container_1'};container_1",
        "MESSAGES;{'container':{'id':'c_1','skills':[{'skill_id':'skill_1'}]}};c_1,skill_1",
        "MESSAGES;{'messages':[{'content':[{'source':{'type':'file','file_id':'file_1'}}]}]};file_1",
        "GENERATE;{'cachedContent':'cachedContents/1'};cachedContents/1",
        "GENERATE;{'contents':[{'parts':[{'fileData':{'fileUri':'https://generativelanguage.googleapis.com/v1beta/files/ab'}}]}]};files/ab",
        "GENERATE;{'contents':[{'parts':[{'file_data':{'file_uri':'gs://bucket/x'}}]}]};gs://bucket/x",
      })
  void aRequestNamesObjects(Operation operation, String json, String ids) throws Exception {
    assertThat(named(operation, json)).containsExactly(ids.split(","));
  }

  /** Words of the caller's own that look like an API's. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "MESSAGES;{'messages':[{'content':[{'type':'tool_use','input':{'file_id':'a'}}]}]}",
        "CHAT;{'messages':[{'content':'the \\\"file_id\\\": \\\"a\\\" of a file'}]}",
        "RESPONSES;{'metadata':{'file_id':'a'},'tools':[{'parameters':{'container':'b'}}]}",
        "RESPONSES;{'previous_response_id':null,'file_id':7,'container':''}",
      })
  void whatNamesNone(Operation operation, String json) throws Exception {
    assertThat(named(operation, json)).isEmpty();
  }

  @Test
  void noMoreThanTheMostAreRead() throws Exception {
    var ids =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "'file-" + i + "'")
            .collect(Collectors.joining(","));
    assertThat(named(Operation.RESPONSES, "{'file_ids':[" + ids + "]}")).hasSize(ObjectIds.MOST);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "OPENAI;/files/file-1/content?x=/files/2;file-1",
        "OPENAI;/responses/resp%5F1;resp_1",
        "OPENAI;/vector_stores/vs_1/files/file-1;vs_1,file-1",
        "OPENAI;/threads/thread_1/runs/run_1;thread_1,run_1",
        "OPENAI;/fine_tuning/jobs/ftjob-1/events;ftjob-1",
        "ANTHROPIC;/v1/messages/batches/msgbatch_1/results;msgbatch_1",
        "MISTRAL;/v1/batch/jobs/0b-1/cancel;0b-1",
        "GEMINI;/v1beta/files/abc;files/abc",
        "GEMINI;/download/v1beta/files/abc:download?alt=media;files/abc",
        "GEMINI;/v1beta/cachedContents/abc;cachedContents/abc",
      })
  void aPathNamesObjects(Api api, String path, String ids) {
    var read = ObjectIds.inPath(api, path);
    assertThat(read.ids()).containsExactly(ids.split(","));
    assertThat(read.kept()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "OPENAI;/files;true",
        "OPENAI;/files/;true",
        "OPENAI;/threads/runs;true",
        "OPENAI;/moderations;false",
        "OPENAI;/models/files;true",
        "ANTHROPIC;/v1/messages/batches;true",
        "GEMINI;/upload/v1beta/files?uploadType=resumable;true",
        "GEMINI;/v1beta/models/gemini-3:batchGenerateContent;true",
      })
  void aPathNamesNone(Api api, String path, boolean kept) {
    var read = ObjectIds.inPath(api, path);
    assertThat(read.ids()).isEmpty();
    assertThat(read.kept()).isEqualTo(kept);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'id':'file-1','object':'file'};file-1",
        "{'id':'batch_1','input_file_id':'file-0','output_file_id':'file-1','error_file_id':null};batch_1,file-1",
        "{'id':'upload_1','file':{'id':'file-1','object':'file'}};upload_1,file-1",
        "{'id':'run_1','thread_id':'thread_1'};run_1,thread_1",
        "{'file':{'name':'files/abc','uri':'https://x/v1beta/files/abc'}};files/abc",
        "{'name':'batches/1','response':{'responsesFile':'files/2'}};batches/1,files/2",
        "{'id':'job-1','output_file':'7','error_file':'8'};job-1,7,8",
        "{'id':'file-1','purpose':'cut in the;file-1",
      })
  void anAnswerTellsWhatWasMade(String json, String ids) {
    assertThat(ObjectIds.made(json.replace('\'', '"').getBytes(UTF_8)))
        .containsExactly(ids.split(","));
  }
}
