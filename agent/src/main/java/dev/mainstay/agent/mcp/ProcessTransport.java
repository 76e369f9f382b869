package dev.mainstay.agent.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A program that speaks MCP over its standard input and output, one message a line. It differs from
 * the SDK's own transport in what a hostile program can do: a line has a bound, its error output is
 * discarded, its environment holds none of this process's keys, and its end is heard at once.
 */
final class ProcessTransport implements McpClientTransport {
  /** The longest message, in bytes. */
  static final int MOST_LINE = 8 << 20;

  /** Variables that a program needs to be found and to find its files. */
  private static final List<String> INHERITED =
      List.of("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "JAVA_HOME");

  private final List<String> command;
  private final Map<String, String> environment;
  private final McpJsonMapper mapper;
  private final Consumer<String> onEnd;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ExecutorService writer =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
  private final Scheduler writing = Schedulers.fromExecutorService(writer);
  private volatile @Nullable Process process;

  /**
   * @param onEnd hears once, in words, why the program is gone
   */
  ProcessTransport(
      List<String> command,
      Map<String, String> environment,
      McpJsonMapper mapper,
      Consumer<String> onEnd) {
    this.command = command;
    this.environment = environment;
    this.mapper = mapper;
    this.onEnd = onEnd;
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return Mono.fromRunnable(() -> start(handler));
  }

  private void start(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    var variables = builder.environment();
    variables.keySet().retainAll(INHERITED);
    variables.putAll(environment);
    try {
      var started = builder.start();
      process = started;
      threads.execute(() -> read(started, handler));
    } catch (IOException e) {
      onEnd.accept("it could not be started: is " + command.getFirst() + " installed?");
      throw new IllegalStateException("the program could not be started", e);
    }
  }

  private void read(Process started, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    var why = "it closed its output";
    try (var in = new BufferedInputStream(started.getInputStream(), 1 << 16)) {
      for (var line = line(in); line != null; line = line(in)) {
        if (!line.isBlank()) {
          var message = McpSchema.deserializeJsonRpcMessage(mapper, line);
          handler.apply(Mono.just(message)).onErrorComplete().subscribe();
        }
      }
    } catch (IOException | RuntimeException e) {
      // The message may quote what the program wrote.
      why = e instanceof TooLongException ? "a message was too long" : "it wrote no JSON-RPC";
    }
    started.destroyForcibly();
    try {
      if (started.waitFor(5, TimeUnit.SECONDS)) {
        why += " (exit status " + started.exitValue() + ")";
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onEnd.accept(why);
  }

  private static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;
  }

  private static @Nullable String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int each = in.read(); each != '\n'; each = in.read()) {
      if (each < 0) {
        return null;
      }
      if (line.size() >= MOST_LINE) {
        throw new TooLongException();
      }
      line.write(each);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.<Void>fromRunnable(() -> write(message)).subscribeOn(writing);
  }

  private void write(JSONRPCMessage message) {
    var to = process;
    if (to == null) {
      throw new IllegalStateException("the program is not running");
    }
    try {
      var out = to.getOutputStream();
      out.write((mapper.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException e) {
      throw new IllegalStateException("the program does not read", e);
    }
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(this::stop);
  }

  @Override
  public void close() {
    stop();
  }

  /** Ends the program; it has no time for a good-bye, since it may hang. */
  private void stop() {
    var running = process;
    if (running != null) {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly();
    }
    writing.dispose();
    writer.shutdownNow();
    threads.shutdown();
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return mapper.convertValue(data, type);
  }
}
