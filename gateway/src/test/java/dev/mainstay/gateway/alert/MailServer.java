package dev.mainstay.gateway.alert;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A mail server that takes mail with a password, as far as RFC 5321 and 4954 need it here. */
final class MailServer implements AutoCloseable {
  /** What was said to it up to one mail, that mail's lines included. */
  final BlockingQueue<List<String>> mails = new LinkedBlockingQueue<>();

  private final ServerSocket listening;

  /** Begins every address that is refused; the default refuses none. */
  volatile String refuses = "<-";

  MailServer() {
    try {
      listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try (var client = listening.accept()) {
        talk(client);
      } catch (IOException e) {
        // Closed, or a client that left.
      }
    }
  }

  private void talk(Socket client) throws IOException {
    var in =
        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
    var heard = new ArrayList<String>();
    say(client, "220 mail");
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      heard.add(line);
      switch (line.split(" ")[0]) {
        case "EHLO" -> say(client, "250-mail\r\n250 AUTH PLAIN");
        case "AUTH" -> say(client, "235 in");
        case "RCPT" -> say(client, line.contains(refuses) ? "550 no such mailbox" : "250 ok");
        case "QUIT" -> say(client, "221 bye");
        case "DATA" -> {
          say(client, "354 go on");
          for (var text = in.readLine(); text != null && !text.equals("."); text = in.readLine()) {
            heard.add(text);
          }
          mails.add(List.copyOf(heard));
          say(client, "250 taken");
        }
        default -> say(client, "250 ok");
      }
    }
  }

  private static void say(Socket client, String line) throws IOException {
    client.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
