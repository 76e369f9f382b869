package dev.mainstay.http;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server is started with.
 *
 * @param host address to listen on; default 127.0.0.1
 * @param port 0 to 65535; 0 takes a free one (see {@link HttpServer#port}); default 0
 * @param tls certificate and key; null (the default) for plain HTTP
 * @param limits of one request
 * @param memory what request bodies and bytes for slow clients are taken from; default the
 *     process's own
 * @param timeouts of a connection
 * @param packFrom whole answers of so many bytes and more are sent in gzip to clients that take it;
 *     0 for none; default 16 KiB, just above the ten segments that a new connection may carry in
 *     one round trip (RFC 6928)
 */
public record ServerOptions(
    String host,
    int port,
    @Nullable Tls tls,
    Limits limits,
    MemoryBudget memory,
    Timeouts timeouts,
    int packFrom) {

  /** A certificate chain and its private key (PKCS#8), both PEM files. */
  public record Tls(Path cert, Path key) {}

  /**
   * How large a request may be, in bytes.
   *
   * @param body a buffered body, packed or unpacked; below 2 GiB; default 64 MiB
   * @param requestLine the request line; default 16 KiB
   * @param headers all headers together; default 64 KiB
   */
  public record Limits(long body, int requestLine, int headers) {
    /** Checks ranges. */
    public Limits {
      positive("body", body);
      if (body > Integer.MAX_VALUE) throw new IllegalArgumentException("body must be below 2 GiB");
      positive("requestLine", requestLine);
      positive("headers", headers);
    }
  }

  /**
   * How long a server waits for a client.
   *
   * @param idle how long a connection without a request is kept, one whose head does not arrive
   *     whole included, and a quarter of how long one is whose client takes nothing of its answer;
   *     default 75 s, above the 60 s that common proxies and the 5 to 60 s that SDKs keep theirs,
   *     so that the client closes first
   * @param body how long each next part of a request's body may take; default 60 s
   */
  public record Timeouts(Duration idle, Duration body) {
    /** Checks ranges. */
    public Timeouts {
      positive("idle", idle.toNanos());
      positive("body", body.toNanos());
    }
  }

  /** Checks ranges. */
  public ServerOptions {
    if (port < 0 || port > 65_535)
      throw new IllegalArgumentException("port must be 0 to 65535, not " + port);
    if (packFrom < 0) throw new IllegalArgumentException("packFrom must not be below 0");
  }

  /** The defaults: a free port on 127.0.0.1. */
  public static ServerOptions defaults() {
    return new ServerOptions(
        "127.0.0.1",
        0,
        null,
        new Limits(64L << 20, 16 << 10, 64 << 10),
        MemoryBudget.process(),
        new Timeouts(Duration.ofSeconds(75), Duration.ofSeconds(60)),
        16 << 10);
  }

  /** The same on another address and port. */
  public ServerOptions at(String newHost, int newPort) {
    return new ServerOptions(newHost, newPort, tls, limits, memory, timeouts, packFrom);
  }

  /** The same over TLS. */
  public ServerOptions withTls(Tls newTls) {
    return new ServerOptions(host, port, newTls, limits, memory, timeouts, packFrom);
  }

  /** The same with another limit for one body, in bytes. */
  public ServerOptions withMaxBody(long bytes) {
    var changed = new Limits(bytes, limits.requestLine(), limits.headers());
    return new ServerOptions(host, port, tls, changed, memory, timeouts, packFrom);
  }

  /** The same over another budget. */
  public ServerOptions withMemory(MemoryBudget budget) {
    return new ServerOptions(host, port, tls, limits, budget, timeouts, packFrom);
  }

  /** The same with other waits. */
  public ServerOptions withTimeouts(Duration idle, Duration body) {
    return new ServerOptions(host, port, tls, limits, memory, new Timeouts(idle, body), packFrom);
  }

  /** The same with another size from which answers are packed; 0 for never. */
  public ServerOptions withPackFrom(int bytes) {
    return new ServerOptions(host, port, tls, limits, memory, timeouts, bytes);
  }

  private static void positive(String name, long value) {
    if (value <= 0) throw new IllegalArgumentException(name + " must be above 0, not " + value);
  }
}
