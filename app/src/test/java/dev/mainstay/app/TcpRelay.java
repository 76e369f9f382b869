package dev.mainstay.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A network between a gateway and its database that is cut and slowed on command. */
final class TcpRelay implements AutoCloseable {
  private final ServerSocket listening;
  private final int to;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;
  private volatile Duration delay = Duration.ZERO;

  TcpRelay(int to) throws IOException {
    this.to = to;
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Breaks all connections, and takes none while it is cut. */
  void cut(boolean isCut) {
    cut = isCut;
    if (isCut) {
      open.forEach(TcpRelay::close);
      open.clear();
    }
  }

  /** How long each piece of bytes is held up. */
  void delay(Duration each) {
    delay = each;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        var from = listening.accept();
        var server = new Socket();
        if (cut) {
          close(from);
          continue;
        }
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to));
        if (server.getLocalPort() == to) {
          // The server is away, and the system gave this socket its port: it has met itself.
          close(server);
          close(from);
          continue;
        }
        open.add(from);
        open.add(server);
        Thread.ofVirtual().start(() -> pump(from, server));
        Thread.ofVirtual().start(() -> pump(server, from));
      } catch (IOException e) {
        // The server is away, or this relay was closed: the client sees its connection end.
      }
    }
  }

  private void pump(Socket from, Socket into) {
    var bytes = new byte[16384];
    try (from;
        into) {
      for (int read; (read = from.getInputStream().read(bytes)) >= 0; ) {
        if (delay.isPositive()) {
          LockSupport.parkNanos(delay.toNanos());
        }
        into.getOutputStream().write(bytes, 0, read);
      }
    } catch (IOException e) {
      // One side has gone; the other follows.
    } finally {
      open.remove(from);
      open.remove(into);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone, as was wanted.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut(true);
  }
}
