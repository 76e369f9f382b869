package dev.mainstay.ledger.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A connection pooler as PgBouncer is one: clients have server connections for a transaction or for
 * a session each. For a server that asks for no password.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
final class TestPooler implements AutoCloseable {
  private static final int SSL_REQUEST = 80877103;

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int to;
  private final boolean sessions;
  private final Deque<Server> free = new ConcurrentLinkedDeque<>();
  private final Deque<Socket> open = new ConcurrentLinkedDeque<>();

  /**
   * @param sessions whether a client keeps its server connection until it leaves
   */
  TestPooler(int to, boolean sessions) throws IOException {
    this.to = to;
    this.sessions = sessions;
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        var client = listening.accept();
        open.add(client);
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException e) {
        // It was closed.
      }
    }
  }

  private static byte[] frame(DataInputStream in, boolean typed) throws IOException {
    int type = typed ? in.read() : 0;
    int length = in.readInt();
    var frame = ByteBuffer.allocate(length + (typed ? 1 : 0));
    if (typed) {
      frame.put((byte) type);
    }
    return frame.putInt(length).put(in.readNBytes(length - 4)).array();
  }

  /** A server connection, and what the server said when it began. */
  private record Server(Socket socket, DataInputStream in, byte[] greeting) {
    /** Passes on what the server says until it waits; whether it is outside a transaction. */
    boolean answer(OutputStream client) throws IOException {
      while (true) {
        var message = frame(in, true);
        client.write(message);
        if (message[0] == 'Z') {
          client.flush();
          return message[5] == 'I';
        }
      }
    }
  }

  private Server connect(byte[] startup) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), to);
    open.add(socket);
    socket.getOutputStream().write(startup);
    var in = new DataInputStream(socket.getInputStream());
    var greeting = new ByteArrayOutputStream();
    byte[] message;
    do {
      message = frame(in, true);
      if (message[0] == 'E') {
        throw new IOException(new String(message, UTF_8));
      }
      if (message[0] == 'K') {
        // The process id that clients see is the pooler's own.
        message[5] = 0x7f;
      }
      greeting.write(message);
    } while (message[0] != 'Z');
    return new Server(socket, in, greeting.toByteArray());
  }

  private void serve(Socket client) {
    try (client;
        var in = new DataInputStream(client.getInputStream())) {
      var out = client.getOutputStream();
      var startup = frame(in, false);
      if (ByteBuffer.wrap(startup).getInt(4) == SSL_REQUEST) {
        out.write('N');
        startup = frame(in, false);
      }
      var server = take(startup);
      out.write(server.greeting());
      if (!sessions) {
        free.push(server);
        server = null;
      }
      while (true) {
        var message = frame(in, true);
        if (message[0] == 'X') {
          return;
        }
        server = server == null ? take(startup) : server;
        server.socket().getOutputStream().write(message);
        boolean asks = message[0] == 'Q' || message[0] == 'S';
        if (asks && server.answer(out) && !sessions) {
          free.push(server);
          server = null;
        }
      }
    } catch (IOException e) {
      // One side has gone.
    }
  }

  private Server take(byte[] startup) throws IOException {
    var server = free.poll();
    return server == null ? connect(startup) : server;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (var each : open) {
      each.close();
    }
  }
}
