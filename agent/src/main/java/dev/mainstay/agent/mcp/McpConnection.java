package dev.mainstay.agent.mcp;

import dev.mainstay.config.Agent;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import tools.jackson.databind.json.JsonMapper;

/**
 * One MCP server: connected when it is made, and again, with a back-off from 1 s to 1 min, whenever
 * it is lost. Thread-safe.
 */
final class McpConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(McpConnection.class);
  private static final McpJsonMapper MAPPER =
      new JacksonMcpJsonMapper(JsonMapper.builder().build());

  /** For the start of the program, the handshake and the list of tools. */
  private static final Duration START = Duration.ofSeconds(20);

  /** A server that does not answer a ping within this time after a call's timeout hangs. */
  private static final Duration PING = Duration.ofSeconds(2);

  /** A server that says again and again that its tools have changed is asked so often. */
  private static final Duration BETWEEN_LISTS = Duration.ofMillis(200);

  private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(1);
  private static final Duration MOST_BACK_OFF = Duration.ofMinutes(1);

  /** Tools and pages of them that a server may list. */
  private static final int MOST_TOOLS = 256;

  /** The server is not there: what was asked of it did not happen. */
  static final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1;

    UnavailableException(String message) {
      super(message);
    }
  }

  /** The server was lost while it was asked. */
  static final class LostException extends Exception {
    private static final long serialVersionUID = 1;

    LostException(String message) {
      super(message);
    }
  }

  /** The server refused the call before it did anything. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  private record Live(McpAsyncClient client, CompletableFuture<String> end) {}

  final Agent.McpServer server;
  private final String name;
  private final ScheduledExecutorService timer;

  /** Done with a connection, or with why there is none until the next attempt. */
  private volatile CompletableFuture<Live> live = new CompletableFuture<>();

  /** As the server listed them last. */
  private volatile List<McpSchema.Tool> tools = List.of();

  private final AtomicBoolean listsSoon = new AtomicBoolean();
  private volatile String trouble = "it is starting";
  private volatile boolean closed;
  private Duration backOff = FIRST_BACK_OFF;

  McpConnection(String name, Agent.McpServer server, ScheduledExecutorService timer) {
    this.name = name;
    this.server = server;
    this.timer = timer;
    Thread.startVirtualThread(this::connect);
  }

  private void connect() {
    var end = new CompletableFuture<String>();
    McpAsyncClient client = null;
    synchronized (this) {
      if (live.isDone() && !closed) {
        live = new CompletableFuture<>();
      }
    }
    try {
      client = client(end::complete);
      waited(client.initialize(), end, START);
      var listed = tools(client, end);
      synchronized (this) {
        if (!closed) {
          tools = listed;
          backOff = FIRST_BACK_OFF;
          LOG.info("Mainstay connected to MCP server {}, which has {} tools", name, listed.size());
          var connected = new Live(client, end);
          live.complete(connected);
          end.thenAccept(why -> lost(connected, why));
          return;
        }
      }
    } catch (TimeoutException e) {
      trouble = "it did not answer within " + START.toSeconds() + " s";
    } catch (LostException e) {
      trouble = String.valueOf(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (RuntimeException e) {
      trouble =
          end.getNow("it does not answer as an MCP server does: " + e.getClass().getSimpleName());
    }
    if (client != null) {
      client.close();
    }
    again();
  }

  private synchronized void lost(Live connected, String why) {
    if (!closed) {
      live = new CompletableFuture<>();
      trouble = why;
      connected.client().close();
      again();
    }
  }

  private synchronized void again() {
    if (!closed) {
      live.completeExceptionally(new UnavailableException(trouble));
      LOG.warn(
          "MCP server {} is unavailable: {}. Mainstay tries again in {} s",
          name,
          trouble,
          backOff.toSeconds());
      timer.schedule(
          () -> Thread.startVirtualThread(this::connect),
          backOff.toMillis(),
          TimeUnit.MILLISECONDS);
      var twice = backOff.multipliedBy(2);
      backOff = twice.compareTo(MOST_BACK_OFF) > 0 ? MOST_BACK_OFF : twice;
    }
  }

  private McpAsyncClient client(java.util.function.Consumer<String> onEnd) {
    var closing = Sinks.<Void>empty();
    return McpClient.async(
            new WatchedTransport(transport(onEnd, closing.asMono()), this::toolsChanged, closing))
        .clientInfo(McpSchema.Implementation.builder("mainstay", "1").build())
        // Each call brings a limit of its own.
        .requestTimeout(Duration.ofHours(24))
        .initializationTimeout(START)
        .build();
  }

  private McpClientTransport transport(
      java.util.function.Consumer<String> onEnd, Mono<Void> closing) {
    var url = server.url();
    return url == null
        ? new ProcessTransport(server.command(), server.env(), MAPPER, onEnd)
        : http(url, closing);
  }

  /**
   * @param closing when Mainstay closes the connection
   */
  private static McpClientTransport http(URI url, Mono<Void> closing) {
    var path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/mcp" : url.getRawPath();
    var query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    return HttpClientStreamableHttpTransport.builder(
            url.getScheme() + "://" + url.getRawAuthority())
        .endpoint(path + query)
        .jsonMapper(MAPPER)
        .connectTimeout(Duration.ofSeconds(3))
        .customizeClient(client -> client.followRedirects(HttpClient.Redirect.NEVER))
        // Where the server does not know the session, the SDK 2.1.0 first deletes it there and,
        // once
        // that is answered, takes the call under way for delivered: its 404 is lost to a race.
        .asyncHttpRequestCustomizer(
            (request, method, to, body, context) ->
                method.equals("DELETE") ? closing.thenReturn(request) : Mono.just(request))
        .maxResponseSize(ProcessTransport.MOST_LINE)
        .build();
  }

  private static List<McpSchema.Tool> tools(McpAsyncClient client, CompletableFuture<String> end)
      throws InterruptedException, TimeoutException, LostException {
    var tools = new ArrayList<McpSchema.Tool>();
    String cursor = null;
    for (int page = 0; page < MOST_TOOLS && tools.size() < MOST_TOOLS; page++) {
      var listed = waited(client.listTools(cursor), end, START);
      tools.addAll(
          listed.tools().subList(0, Math.min(listed.tools().size(), MOST_TOOLS - tools.size())));
      cursor = listed.nextCursor();
      if (cursor == null || cursor.isEmpty()) {
        break;
      }
    }
    return List.copyOf(tools);
  }

  /**
   * The tools that the server lists now, or listed last.
   *
   * @throws UnavailableException where it never listed any
   */
  List<McpSchema.Tool> tools() throws InterruptedException, UnavailableException {
    try {
      var unused = live(START);
    } catch (UnavailableException e) {
      if (tools.isEmpty()) {
        throw e;
      }
    }
    return tools;
  }

  /** The server says that its tools have changed. However often it does, they are listed rarely. */
  private void toolsChanged() {
    if (!closed && listsSoon.compareAndSet(false, true)) {
      timer.schedule(
          () -> Thread.startVirtualThread(this::listAgain),
          BETWEEN_LISTS.toMillis(),
          TimeUnit.MILLISECONDS);
    }
  }

  private void listAgain() {
    listsSoon.set(false);
    try {
      var connected = live(START);
      tools = tools(connected.client(), connected.end());
      LOG.info("MCP server {} changed its tools, and has {} now", name, tools.size());
    } catch (TimeoutException | UnavailableException | LostException | RuntimeException e) {
      LOG.debug("MCP server {} changed its tools, and did not list them", name);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes a request, for at most {@code limit}. */
  <T> T ask(Function<McpAsyncClient, Mono<T>> request, Duration limit)
      throws InterruptedException,
          TimeoutException,
          UnavailableException,
          LostException,
          RefusedException {
    var connected = live(Duration.ofSeconds(2));
    try {
      return waited(request.apply(connected.client()), connected.end(), limit);
    } catch (TimeoutException e) {
      Thread.startVirtualThread(() -> check(connected));
      throw e;
    } catch (RuntimeException e) {
      if (has(e, McpTransportSessionNotFoundException.class)) {
        // By the protocol the server has not looked at the call. A new one may have other tools.
        connected.end().complete("its session ended");
        throw new UnavailableException("the server " + name + " no longer knows the session");
      }
      if (has(e, McpHttpClientTransportAuthorizationException.class)) {
        throw new RefusedException("it wants another authorization (status 401 or 403)");
      }
      throw e;
    }
  }

  private static boolean has(Throwable failure, Class<? extends Exception> kind) {
    for (var cause = failure; cause != null; cause = cause.getCause()) {
      if (kind.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  /** Ends a connection over which not even a ping is answered. */
  private void check(Live connected) {
    try {
      var unused = waited(connected.client().ping(), connected.end(), PING);
    } catch (TimeoutException | LostException | RuntimeException e) {
      connected.end().complete("it hangs");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Live live(Duration most) throws InterruptedException, UnavailableException {
    var now = live;
    try {
      return now.get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new UnavailableException("the server " + name + " is away: " + trouble);
    }
  }

  private static <T> T waited(Mono<T> answer, CompletableFuture<String> end, Duration limit)
      throws InterruptedException, TimeoutException, LostException {
    var future = answer.toFuture();
    var either = CompletableFuture.anyOf(future, end);
    try {
      either.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (future.isDone()) {
        return future.get();
      }
      throw new LostException("the server was lost: " + end.join());
    } catch (ExecutionException e) {
      if (end.isDone()) {
        throw new LostException("the server was lost: " + end.join());
      }
      throw e.getCause() instanceof RuntimeException unchecked
          ? unchecked
          : new IllegalStateException(e.getCause());
    } finally {
      future.cancel(true);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    live.thenAccept(connected -> connected.client().close());
    live.completeExceptionally(new IllegalStateException("closed"));
  }
}
