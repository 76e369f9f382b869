package dev.mainstay.agent;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A tool over raw sockets, so that it can misbehave at any point of HTTP. Each request is kept and
 * gets what the script says for it.
 */
final class ToolServer implements AutoCloseable {
  /**
   * A request that arrived.
   *
   * @param line for example {@code POST /effect HTTP/1.1}
   */
  record Request(String line, Map<String, String> headers, String body) {}

  /** Answers a request on its socket; the connection is closed afterwards. */
  interface Script {
    void answer(Request request, Socket socket) throws Exception;
  }

  final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private final ServerSocket server;
  private final Thread acceptor;
  private volatile Script script = (request, socket) -> reply(socket, 200, "{\"ok\":true}");

  ToolServer() throws IOException {
    this(0);
  }

  ToolServer(int port) throws IOException {
    server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    acceptor = Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  int port() {
    return server.getLocalPort();
  }

  void script(Script value) {
    script = value;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        var socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = new BufferedInputStream(socket.getInputStream());
      var line = line(in);
      var headers = new TreeMap<String, String>();
      for (var header = line(in); !header.isEmpty(); header = line(in)) {
        int colon = header.indexOf(':');
        headers.put(
            header.substring(0, colon).toLowerCase(Locale.ROOT),
            header.substring(colon + 1).trim());
      }
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      var body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
      var request = new Request(line, headers, body);
      requests.add(request);
      script.answer(request, socket);
    } catch (Exception e) {
      // The other side left, or the script meant this.
    }
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int each = in.read(); each != '\n'; each = in.read()) {
      if (each < 0) {
        throw new IOException("end of the request");
      }
      if (each != '\r') {
        line.append((char) each);
      }
    }
    return line.toString();
  }

  static void reply(Socket socket, int status, String body) throws IOException {
    reply(socket, status, body.getBytes(StandardCharsets.UTF_8));
  }

  static void reply(Socket socket, int status, byte[] body) throws IOException {
    var out = socket.getOutputStream();
    out.write(
        "HTTP/1.1 %d X\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
            .formatted(status, body.length)
            .getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }

  /** Connections are refused when this returns: the port is free once no thread accepts. */
  @Override
  public void close() {
    try {
      server.close();
      acceptor.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
