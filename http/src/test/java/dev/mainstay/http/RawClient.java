package dev.mainstay.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that writes bytes and reads bytes, so that tests decide about every one of them. */
final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  RawClient(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setTcpNoDelay(true);
    // A test that waits longer has failed; it is never waited out.
    socket.setSoTimeout(60_000);
    in = socket.getInputStream();
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Reads up to and with {@code end}. */
  String readUntil(String end) throws IOException {
    var read = new ByteArrayOutputStream();
    while (true) {
      int b = in.read();
      if (b < 0)
        throw new IOException("ended after: " + read.toString(StandardCharsets.ISO_8859_1));
      read.write(b);
      String text = read.toString(StandardCharsets.ISO_8859_1);
      if (text.endsWith(end)) return text;
    }
  }

  /** Reads one answer with a content-length: its head and its body. */
  Answer readAnswer() throws IOException {
    String head = readUntil("\r\n\r\n");
    int at = head.indexOf("content-length: ");
    int length = at < 0 ? 0 : Integer.parseInt(head.substring(at + 16, head.indexOf('\r', at)));
    return new Answer(head, new String(in.readNBytes(length), StandardCharsets.UTF_8));
  }

  String readAll() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  int read(byte[] into) throws IOException {
    return in.read(into);
  }

  /** Closes with a TCP reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  record Answer(String head, String body) {
    int status() {
      return Integer.parseInt(head.substring(9, 12));
    }
  }
}
