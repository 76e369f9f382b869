package dev.mainstay.app.hostile;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A provider in OpenAI's dialect that does to each request what the name of its model says. It
 * reads requests whole and answers until its connection breaks.
 */
final class HostileProvider implements AutoCloseable {
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

  private final ServerSocket listening;
  private final AtomicInteger number = new AtomicInteger();

  HostileProvider() {
    try {
      listening = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + listening.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        var socket = listening.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // It is closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = new BufferedInputStream(socket.getInputStream());
      var out = socket.getOutputStream();
      while (true) {
        var head = head(in);
        if (head.isEmpty()) {
          return;
        }
        var body = in.readNBytes(length(head));
        var text = new String(body, 0, Math.min(body.length, 2000), StandardCharsets.UTF_8);
        if (!answer(text, out)) {
          return;
        }
      }
    } catch (IOException | InterruptedException e) {
      // The gateway has left, as it may.
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    int b;
    while ((b = in.read()) >= 0) {
      head.append((char) b);
      if (b == '\n' && head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
        return head.toString();
      }
    }
    return "";
  }

  private static int length(String head) {
    for (var line : head.toLowerCase(Locale.ROOT).split("\r\n")) {
      if (line.startsWith("content-length:")) {
        return Integer.parseInt(line.substring(15).strip());
      }
    }
    return 0;
  }

  /** Whether the connection serves another request. */
  private boolean answer(String request, OutputStream out)
      throws IOException, InterruptedException {
    if (request.contains("\"large\"")) {
      whole(out, 200, completion("x".repeat(5 << 20), 5, 5));
    } else if (request.contains("\"claims\"")) {
      whole(out, 200, completion("Hi", 1_000_000_000_000L, 1_000_000_000_000L));
    } else if (request.contains("\"refuses\"")) {
      whole(
          out,
          400,
          "{\"error\":{\"message\":\""
              + number.incrementAndGet()
              + " ".repeat(200_000)
              + "\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}");
    } else if (request.contains("\"whole-endless\"")) {
      out.write(
          "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"id\":\""
              .getBytes(StandardCharsets.UTF_8));
      forever(out, "x".repeat(64 << 10));
    } else if (request.contains("\"tool-endless\"")) {
      out.write(HEAD.getBytes(StandardCharsets.UTF_8));
      out.write(
          chunk(
                  "{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":"
                      + "{\"name\":\"f\",\"arguments\":\"{\"}}]}")
              .getBytes(StandardCharsets.UTF_8));
      forever(
          out,
          chunk(
              "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\""
                  + "x".repeat(8 << 10)
                  + "\"}}]}"));
    } else if (request.contains("\"role-endless\"")) {
      out.write(HEAD.getBytes(StandardCharsets.UTF_8));
      forever(out, chunk("{\"role\":\"assistant\"}").repeat(100));
    } else if (request.contains("\"comment-endless\"")) {
      out.write(HEAD.getBytes(StandardCharsets.UTF_8));
      forever(out, (": " + "c".repeat(8 << 10) + "\n\n"));
    } else if (request.contains("\"event-endless\"")) {
      out.write((HEAD + "data: {\"x\":\"").getBytes(StandardCharsets.UTF_8));
      forever(out, "x".repeat(64 << 10));
    } else if (request.contains("\"text-endless\"")) {
      out.write(HEAD.getBytes(StandardCharsets.UTF_8));
      forever(out, chunk("{\"content\":\"" + "t".repeat(4 << 10) + "\"}"));
    } else if (request.contains("\"silent\"")) {
      Thread.sleep(60_000);
    } else if (request.contains("\"headers\"")) {
      out.write(
          ("HTTP/1.1 200 OK\r\nx: " + "h".repeat(60_000) + "\r\n\r\n")
              .getBytes(StandardCharsets.UTF_8));
      Thread.sleep(60_000);
    } else {
      whole(out, 200, completion("Hi", 5, 1));
      return true;
    }
    return false;
  }

  /** Fast enough to fill any memory within seconds, and slow enough for two cores. */
  private static void forever(OutputStream out, String piece)
      throws IOException, InterruptedException {
    byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
    while (true) {
      out.write(bytes);
      Thread.sleep(10);
    }
  }

  private static String chunk(String delta) {
    return "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":null}]}\n\n";
  }

  private static String completion(String text, long prompt, long completion) {
    return "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
        + text
        + "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":"
        + prompt
        + ",\"completion_tokens\":"
        + completion
        + ",\"total_tokens\":"
        + (prompt + completion)
        + "}}";
  }

  private static void whole(OutputStream out, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    out.write(
        ("HTTP/1.1 "
                + status
                + " Said\r\ncontent-type: application/json\r\ncontent-length: "
                + bytes.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.UTF_8));
    out.write(bytes);
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
