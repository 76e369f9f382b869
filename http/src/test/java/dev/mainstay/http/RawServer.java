package dev.mainstay.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that plays a script on each connection, byte by byte. */
final class RawServer implements AutoCloseable {
  /** What happens on one connection; it is closed after it. */
  interface Script {
    void play(Connection connection) throws IOException;
  }

  final AtomicInteger accepted = new AtomicInteger();
  private final ServerSocket listening;
  private final ConcurrentLinkedQueue<Connection> connections = new ConcurrentLinkedQueue<>();

  /** Plays {@code scripts[i]} on the i-th connection, the last one on all further ones. */
  RawServer(Script... scripts) throws IOException {
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  var connection = new Connection(listening.accept());
                  connections.add(connection);
                  int index = Math.min(accepted.getAndIncrement(), scripts.length - 1);
                  Thread.ofVirtual().start(() -> connection.play(scripts[index]));
                }
              } catch (IOException e) {
                // Closed: the test is over.
              }
            });
  }

  int port() {
    return listening.getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Connection connection : connections) connection.socket.close();
  }

  /** One accepted connection. */
  static final class Connection {
    final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(60_000);
      in = socket.getInputStream();
      out = socket.getOutputStream();
    }

    private void play(Script script) {
      try (socket) {
        script.play(this);
      } catch (IOException e) {
        // The other side left, which is part of many scripts.
      }
    }

    /** Reads a request with a content-length or none; head and body together. */
    String request() throws IOException {
      var read = new ByteArrayOutputStream();
      String text = "";
      while (!text.endsWith("\r\n\r\n")) {
        int b = in.read();
        if (b < 0) throw new IOException("no request");
        read.write(b);
        text = read.toString(StandardCharsets.ISO_8859_1);
      }
      int at = text.indexOf("content-length: ");
      int length = at < 0 ? 0 : Integer.parseInt(text.substring(at + 16, text.indexOf('\r', at)));
      return text + new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    }

    /** Reads until the client closes. */
    void awaitClose() throws IOException {
      while (in.read() >= 0) {
        // What the client still says does not matter.
      }
    }

    int read() throws IOException {
      return in.read();
    }

    Connection send(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      return this;
    }

    Connection send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
      return this;
    }

    Connection answer(String body) throws IOException {
      return send("HTTP/1.1 200 OK\r\ncontent-length: " + body.length() + "\r\n\r\n" + body);
    }

    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}
