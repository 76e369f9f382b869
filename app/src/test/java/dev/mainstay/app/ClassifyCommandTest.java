package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.classify.RuleTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ClassifyCommandTest {

  @Test
  void answersEachLineInOrderWithItsId() throws IOException {
    var out =
        run(
            """
            {"id": "a", "provider": "openai", "where": "http", "status": 429, "headers": {"retry-after": "1.5"}, "body": "Too Many Requests"}
            {"id": 2, "where": null, "status": 503, "body": null}
            {"status": "401"}
            """);
    assertThat(out)
        .containsExactly(
            "{\"id\":\"a\",\"class\":\"TRANSIENT\",\"kind\":\"rate_limit\",\"blame\":\"key\","
                + "\"retry_same\":true,\"retry_after_s\":1.5,\"fallback\":true,\"repair\":null,\"alert\":false}",
            "{\"id\":2,\"class\":\"TRANSIENT\",\"kind\":\"overloaded\",\"blame\":\"provider\","
                + "\"retry_same\":true,\"retry_after_s\":null,\"fallback\":true,\"repair\":null,\"alert\":false}",
            "{\"id\":null,\"class\":\"FATAL\",\"kind\":\"auth\",\"blame\":\"key\","
                + "\"retry_same\":false,\"retry_after_s\":null,\"fallback\":true,\"repair\":null,\"alert\":true}");
  }

  @Test
  void whatIsPastedIsOneFailure() throws IOException {
    assertThat(
            run(
                """
                HTTP/1.1 200 Connection established

                HTTP/2 429
                retry-after: 20
                content-type: application/json

                {"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}
                """))
        .singleElement()
        .asString()
        .contains("\"kind\":\"rate_limit\"", "\"retry_after_s\":20");
    assertThat(
            run(
                """
                Traceback (most recent call last):
                  File "app.py", line 3, in <module>

                openai.APIConnectionError: Connection error.
                RuntimeError: Cannot send a request, as the client has been closed.
                """))
        .singleElement()
        .asString()
        .contains("\"kind\":\"client_closed\"");
    assertThat(run("{\n  \"error\": {\n    \"code\": \"context_length_exceeded\"\n  }\n}\n"))
        .singleElement()
        .asString()
        .contains("\"kind\":\"context_length\"");
  }

  @Test
  void aBadLineIsAnsweredAndTheRestStillProcessed() throws IOException {
    var out =
        run(
            """
            {"id": "b", "status": "soon"}
            not json

            [1, 2]
            {"id": "c", "where": "nowhere"}
            {"id": "d", "status": 429} trailing
            {"id": "e", "headers": []}
            {"id": "f", "status": 1.5}
            {"id": "g", "body": "cut
            {"id": "h", "status": 99999999999999999999}
            {"id": "ok", "status": 500}
            """);
    assertThat(out).hasSize(10);
    assertThat(out.get(0)).contains("\"id\":\"b\",\"line\":1,").contains("status: expected");
    assertThat(out.get(1)).contains("\"line\":2,").contains("not valid JSON");
    assertThat(out.get(2)).contains("\"line\":4,").contains("expected a JSON object, found a list");
    assertThat(out.get(3)).contains("allowed are http, stream, transport, client");
    assertThat(out.get(4)).contains("\"line\":6,");
    assertThat(out.get(5)).contains("headers: expected an object");
    assertThat(out.get(9)).contains("\"id\":\"ok\",\"class\":\"TRANSIENT\"");
    assertThat(out.subList(0, 9)).allMatch(line -> line.contains("\"error\":"));
  }

  @Test
  void takesABodyThatIsJsonItself() throws IOException {
    var out =
        run("{\"status\": 500, \"body\": {\"error\": {\"code\": 429, \"message\": \"x\"}}}\n");
    assertThat(out.getFirst()).contains("\"kind\":\"rate_limit\"");
  }

  @Test
  void takesAProvidersAnswerOnALineOfItsOwn() throws IOException {
    var out =
        run(
            """
            {"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}
            {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
            {"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","code":"3505"}
            {"message":"java.net.ConnectException: Connection refused"}
            {"id":"5","error":{"type":"overloaded_error"}}
            """);
    assertThat(out)
        .extracting(line -> line.replaceAll(".*\"kind\":\"([^\"]*)\".*", "$1"))
        .containsExactly(
            "quota_exhausted", "overloaded", "overloaded", "connection_refused", "other");
  }

  @Test
  void theLastLineNeedsNoNewlineAndBytesThatAreNoUtf8AreABadLine() throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes("{\"body\": \"".getBytes(StandardCharsets.UTF_8));
    bytes.write(0xff);
    bytes.write(0xfe);
    bytes.writeBytes("\"}\r\n{\"id\": 1, \"status\": 404}".getBytes(StandardCharsets.UTF_8));
    var out = run(new ByteArrayInputStream(bytes.toByteArray()));
    assertThat(out).hasSize(2);
    assertThat(out.get(0)).contains("\"error\":");
    assertThat(out.get(1)).contains("\"kind\":\"not_found\"");
  }

  @Test
  void aLineWithoutEndIsSkippedInBoundedMemory() throws IOException {
    var endless =
        new InputStream() {
          private long left = LineReader.MAX + 100_000L;

          @Override
          public int read() {
            return left-- > 0 ? 'x' : -1;
          }

          @Override
          public int read(byte[] into, int from, int length) {
            if (left <= 0) {
              return -1;
            }
            int read = (int) Math.min(left, length);
            Arrays.fill(into, from, from + read, (byte) 'x');
            left -= read;
            return read;
          }
        };
    assertThat(run(endless).getFirst()).contains("longer than 16 MiB");
  }

  @Test
  void ownRulesComeFirstAndTheirMistakesNameTheLine(@TempDir Path folder) throws IOException {
    var good = folder.resolve("own.rules");
    Files.writeString(
        good,
        """
        [own]
        source   our runbook
        status   418
        message  teapot
        kind     overloaded
        because  Our relay says so when it is full.
        """);
    var bad = folder.resolve("bad.rules");
    Files.writeString(bad, "[own]\nstatus 418\nkind teapot\nbecause x\n");
    var errors = new StringWriter();
    var command =
        new CommandLine(new ClassifyCommand())
            .setErr(new PrintWriter(errors))
            .setOut(new PrintWriter(errors));
    assertThat(command.execute("--rules", bad.toString())).isEqualTo(2);
    assertThat(errors.toString()).contains("bad.rules:3: ").contains("'teapot' is not allowed");

    var out = new ByteArrayOutputStream();
    ClassifyCommand.run(
        Classifier.with(List.of(RuleTable.parse("own", Files.readString(good)))),
        new ByteArrayInputStream(
            "{\"status\":418,\"body\":\"I am a teapot\"}\n".getBytes(StandardCharsets.UTF_8)),
        out,
        true);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("\"kind\":\"overloaded\"")
        .contains("\"rule\":\"own\"")
        .contains("\"because\":\"Our relay says so when it is full.\"");
  }

  private static List<String> run(String input) throws IOException {
    return run(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
  }

  private static List<String> run(InputStream in) throws IOException {
    var out = new ByteArrayOutputStream();
    ClassifyCommand.run(Classifier.standard(), in, out, false);
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
