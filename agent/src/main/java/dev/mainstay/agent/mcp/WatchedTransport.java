package dev.mainstay.agent.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A transport that keeps from the client what it would answer too eagerly.
 *
 * <p>At each {@code …/list_changed} notification the client lists everything, over as many pages as
 * the server likes. When a session has ended it begins another one without listing the tools, and
 * fails every call under way before the call whose answer says so.
 */
final class WatchedTransport implements McpClientTransport {
  private static final String CHANGED = "/list_changed";

  private final McpClientTransport transport;
  private final Runnable onTools;
  private final Sinks.Empty<Void> closing;

  /**
   * @param onTools called when the server says that its tools have changed; must not block
   * @param closing ends when the client is closed
   */
  WatchedTransport(McpClientTransport transport, Runnable onTools, Sinks.Empty<Void> closing) {
    this.transport = transport;
    this.onTools = onTools;
    this.closing = closing;
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return transport.connect(messages -> handler.apply(messages.filter(this::isForClient)));
  }

  private boolean isForClient(JSONRPCMessage message) {
    if (!(message instanceof McpSchema.JSONRPCNotification news)
        || !news.method().endsWith(CHANGED)) {
      return true;
    }
    if (news.method().equals(McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED)) {
      onTools.run();
    }
    return false;
  }

  @Override
  public void setExceptionHandler(Consumer<Throwable> handler) {
    transport.setExceptionHandler(
        failure -> {
          if (!(failure instanceof McpTransportSessionNotFoundException)) {
            handler.accept(failure);
          }
        });
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return transport.sendMessage(message);
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return transport.unmarshalFrom(data, type);
  }

  @Override
  public List<String> protocolVersions() {
    return transport.protocolVersions();
  }

  @Override
  public Mono<Void> closeGracefully() {
    closing.tryEmitEmpty();
    return transport.closeGracefully();
  }

  @Override
  public void close() {
    closing.tryEmitEmpty();
    transport.close();
  }
}
