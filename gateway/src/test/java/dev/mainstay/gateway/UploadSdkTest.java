package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.beta.files.FileUploadParams;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.batches.BatchCreateParams;
import com.openai.models.files.FileCreateParams;
import com.openai.models.files.FilePurpose;
import com.openai.models.images.ImageEditParams;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the official SDKs upload arrives whole; nothing but their base URL is changed. */
@Timeout(180)
final class UploadSdkTest {
  /** Far above what fits into one read, and ends in words of its own. */
  private static final String CONTENT = "{\"line\": \"of a file\"}\n".repeat(200_000) + "the end";

  private static final String FILE =
      "{\"id\":\"file-1\",\"object\":\"file\",\"bytes\":1,\"created_at\":1,\"filename\":\"a.jsonl\","
          + "\"purpose\":\"batch\",\"status\":\"processed\",\"type\":\"file\",\"size_bytes\":1,"
          + "\"mime_type\":\"text/plain\"}";

  @TempDir Path directory;
  private final Harness h = new Harness();
  private OpenAIClient openai = OpenAIOkHttpClient.builder().apiKey("-").build();

  @BeforeEach
  void connect() {
    openai =
        OpenAIOkHttpClient.builder().baseUrl(h.url() + "/v1").apiKey("sk-client-own-key").build();
  }

  @AfterEach
  void close() {
    openai.close();
    h.close();
  }

  private Path file(String name) throws Exception {
    return Files.writeString(directory.resolve(name), CONTENT);
  }

  private ScriptedProvider.ReceivedRequest asked(String path, String key) {
    var asked = h.one.asked.getLast();
    assertThat(asked.path()).isEqualTo(path);
    assertThat(asked.headers().get(key)).endsWith(ScriptedProvider.KEY);
    return asked;
  }

  private void arrived(String path, String key, String... fields) {
    assertThat(asked(path, key).body()).contains(CONTENT).contains(fields);
    assertThat(h.kept.next().attempts().getFirst().bytesSent()).isGreaterThan(CONTENT.length());
  }

  @Test
  void openAisFilesBatchesAndVectorStores() throws Exception {
    h.one.then(json(200, FILE));
    var file =
        openai
            .files()
            .create(
                FileCreateParams.builder()
                    .file(file("a.jsonl"))
                    .purpose(FilePurpose.BATCH)
                    .build());
    arrived("/v1/files", "authorization", "name=\"purpose\"", "filename=\"a.jsonl\"");
    h.one.then(
        json(
            200,
            "{\"id\":\"batch_1\",\"object\":\"batch\",\"endpoint\":\"/v1/chat/completions\","
                + "\"input_file_id\":\"file-1\",\"completion_window\":\"24h\","
                + "\"status\":\"validating\",\"created_at\":1}"));
    var batch =
        openai
            .batches()
            .create(
                BatchCreateParams.builder()
                    .inputFileId(file.id())
                    .endpoint(BatchCreateParams.Endpoint.V1_CHAT_COMPLETIONS)
                    .completionWindow(BatchCreateParams.CompletionWindow._24H)
                    .build());
    assertThat(batch.id()).isEqualTo("batch_1");
    assertThat(asked("/v1/batches", "authorization").body()).contains("\"file-1\"");
    h.one.then(
        json(
            200,
            "{\"id\":\"file-1\",\"object\":\"vector_store.file\",\"created_at\":1,"
                + "\"usage_bytes\":1,\"vector_store_id\":\"vs_1\",\"status\":\"completed\"}"));
    var stored =
        openai
            .vectorStores()
            .files()
            .create(
                com.openai.models.vectorstores.files.FileCreateParams.builder()
                    .vectorStoreId("vs_1")
                    .fileId(file.id())
                    .build());
    assertThat(stored.vectorStoreId()).isEqualTo("vs_1");
    assertThat(asked("/v1/vector_stores/vs_1/files", "authorization").body()).contains("file-1");
    h.one.then(json(200, CONTENT));
    try (var content = openai.files().content(file.id())) {
      assertThat(new String(content.body().readAllBytes(), UTF_8)).isEqualTo(CONTENT);
    }
  }

  @Test
  void openAisRecordingsAndImages() throws Exception {
    h.one.then(json(200, "{\"text\":\"Hi\"}"));
    var heard =
        openai
            .audio()
            .transcriptions()
            .create(
                TranscriptionCreateParams.builder().file(file("a.wav")).model("whisper-1").build());
    assertThat(heard.asTranscription().text()).isEqualTo("Hi");
    arrived("/v1/audio/transcriptions", "authorization", "filename=\"a.wav\"");
    h.one.then(json(200, "{\"created\":1,\"data\":[{\"b64_json\":\"AA==\"}]}"));
    var edited =
        openai
            .images()
            .edit(ImageEditParams.builder().image(file("a.png")).prompt("Make it blue").build());
    assertThat(edited.created()).isEqualTo(1);
    arrived("/v1/images/edits", "authorization", "Make it blue");
  }

  @Test
  void anthropicsFiles() throws Exception {
    h.one.then(
        json(200, FILE.replace("\"created_at\":1", "\"created_at\":\"2026-01-01T00:00:00Z\"")));
    var client =
        AnthropicOkHttpClient.builder().baseUrl(h.url()).apiKey("sk-client-own-key").build();
    try {
      var file =
          client
              .beta()
              .files()
              .upload(
                  FileUploadParams.builder()
                      .file(file("a.txt"))
                      .addBeta("files-api-2025-04-14")
                      .build());
      assertThat(file.id()).isEqualTo("file-1");
      arrived("/v1/files", "x-api-key", "filename=\"a.txt\"");
      assertThat(h.one.asked.getLast().headers()).containsKey("anthropic-beta");
    } finally {
      client.close();
    }
  }
}
