package dev.mainstay.bench.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.RequestReader;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.StreamReader;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What reading costs that every stream and every request goes through; aim: under 25 µs for 100
 * events or a prompt of 100 KB.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class EventsBenchmark {
  private static final int PIECE = 8192;

  private final byte[] chat =
      """
      data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"bench",\
      "system_fingerprint":"fp_0123456789abcdef","choices":[{"index":0,"delta":{"content":"The quick \
      brown "},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"0123456789ab"}

      """
          .repeat(100)
          .getBytes(UTF_8);

  private final byte[] anthropic =
      """
      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The quick "}}

      """
          .repeat(100)
          .getBytes(UTF_8);

  /** Each tells what was used so far, so that each is read. */
  private final byte[] gemini =
      """
      data: {"candidates":[{"content":{"parts":[{"text":"The quick brown fox jumps over the lazy dog"}],\
      "role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":12,\
      "totalTokenCount":20},"modelVersion":"gemini-2.5-flash","responseId":"abc"}

      """
          .repeat(100)
          .getBytes(UTF_8);

  private final byte[] prompt =
      ("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\""
              + "The quick brown fox jumps over the lazy dog.\\nThen it sleeps. ".repeat(1600)
              + "\"}]}")
          .getBytes(UTF_8);

  @Benchmark
  public StreamReader chat() {
    return read(Dialect.OPENAI_CHAT, chat);
  }

  @Benchmark
  public StreamReader anthropic() {
    return read(Dialect.ANTHROPIC, anthropic);
  }

  @Benchmark
  public StreamReader gemini() {
    return read(Dialect.GEMINI, gemini);
  }

  @Benchmark
  public RequestHead prompt() throws MalformedRequest {
    return RequestReader.read(Operation.CHAT, prompt);
  }

  private static StreamReader read(Dialect dialect, byte[] stream) {
    var reader = Readers.stream(dialect);
    var scanner = new SseScanner();
    for (int at = 0; at < stream.length; at += PIECE) {
      scanner.feed(
          stream,
          at,
          Math.min(PIECE, stream.length - at),
          event -> {
            reader.read(event);
            return true;
          });
    }
    return reader;
  }
}
