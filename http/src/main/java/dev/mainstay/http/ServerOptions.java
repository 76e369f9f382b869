package dev.mainstay.http;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server is started with.
 *
 * @param host address to listen on; default 127.0.0.1
 * @param port 0 to 65535; 0 takes a free one (see {@link HttpServer#port}); default 0
 * @param maxBody most bytes of a buffered request body, packed or unpacked; default 64 MiB
 * @param memory what request bodies and bytes for slow clients are taken from; default the
 *     process's own
 * @param maxRequestLine most bytes of a request line; default 16 KiB
 * @param maxHeaders most bytes of all headers together; default 64 KiB
 * @param idle how long a connection without a request is kept, one whose head does not arrive whole
 *     included, and a quarter of how long one is whose client takes nothing of its answer; default
 *     75 s, above the 60 s that common proxies and the 5 to 60 s that SDKs keep theirs, so that the
 *     client closes first
 * @param bodyTimeout how long each next part of a request's body may take; default 60 s
 * @param packFrom whole answers of so many bytes and more are sent in gzip to clients that take it;
 *     0 for none; default 16 KiB, just above the ten segments that a new connection may carry in
 *     one round trip (RFC 6928)
 * @param tls certificate and key; null (the default) for plain HTTP
 */
public record ServerOptions(
    String host,
    int port,
    long maxBody,
    MemoryBudget memory,
    int maxRequestLine,
    int maxHeaders,
    Duration idle,
    Duration bodyTimeout,
    int packFrom,
    @Nullable Tls tls) {

  /** A certificate chain and its private key (PKCS#8), both PEM files. */
  public record Tls(Path cert, Path key) {}

  /** Checks ranges. */
  public ServerOptions {
    if (port < 0 || port > 65_535)
      throw new IllegalArgumentException("port must be 0 to 65535, not " + port);
    positive("maxBody", maxBody);
    if (maxBody > Integer.MAX_VALUE)
      throw new IllegalArgumentException("maxBody must be below 2 GiB");
    positive("maxRequestLine", maxRequestLine);
    positive("maxHeaders", maxHeaders);
    positive("idle", idle.toNanos());
    positive("bodyTimeout", bodyTimeout.toNanos());
    if (packFrom < 0) throw new IllegalArgumentException("packFrom must not be below 0");
  }

  /** The defaults: a free port on 127.0.0.1. */
  public static ServerOptions defaults() {
    return new ServerOptions(
        "127.0.0.1",
        0,
        64L << 20,
        MemoryBudget.process(),
        16 << 10,
        64 << 10,
        Duration.ofSeconds(75),
        Duration.ofSeconds(60),
        16 << 10,
        null);
  }

  /** The same on another address and port. */
  public ServerOptions at(String newHost, int newPort) {
    return new ServerOptions(
        newHost,
        newPort,
        maxBody,
        memory,
        maxRequestLine,
        maxHeaders,
        idle,
        bodyTimeout,
        packFrom,
        tls);
  }

  /** The same with another limit for one body. */
  public ServerOptions withMaxBody(long bytes) {
    return new ServerOptions(
        host, port, bytes, memory, maxRequestLine, maxHeaders, idle, bodyTimeout, packFrom, tls);
  }

  /** The same over another budget. */
  public ServerOptions withMemory(MemoryBudget budget) {
    return new ServerOptions(
        host, port, maxBody, budget, maxRequestLine, maxHeaders, idle, bodyTimeout, packFrom, tls);
  }

  /** The same with other waits. */
  public ServerOptions withTimeouts(Duration newIdle, Duration newBodyTimeout) {
    return new ServerOptions(
        host,
        port,
        maxBody,
        memory,
        maxRequestLine,
        maxHeaders,
        newIdle,
        newBodyTimeout,
        packFrom,
        tls);
  }

  /** The same with another size from which answers are packed; 0 for never. */
  public ServerOptions withPackFrom(int bytes) {
    return new ServerOptions(
        host, port, maxBody, memory, maxRequestLine, maxHeaders, idle, bodyTimeout, bytes, tls);
  }

  /** The same over TLS. */
  public ServerOptions withTls(Tls newTls) {
    return new ServerOptions(
        host,
        port,
        maxBody,
        memory,
        maxRequestLine,
        maxHeaders,
        idle,
        bodyTimeout,
        packFrom,
        newTls);
  }

  private static void positive(String name, long value) {
    if (value <= 0) throw new IllegalArgumentException(name + " must be above 0, not " + value);
  }
}
