package dev.mainstay.app.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLEncoder;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * A provider that repeats the key it was asked with. Where it does is said by the request, which
 * holds {@code place-NAME} in its model or its path.
 */
final class EchoingProvider implements AutoCloseable {
  private static final Pattern PLACE = Pattern.compile("place-([a-z0-9_]+)");
  private static final Pattern KEY =
      Pattern.compile("(?im)^(?:authorization: Bearer |x-api-key: |x-goog-api-key: )(\\S+)");
  private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: (\\d+)");

  /**
   * What is answered for each place: KEY, BASIC and URL stand for the key, in Base64 behind a
   * user's name, and percent-encoded; TEXT for a dialect's own answer with the key in its words,
   * EVENTS for the same as a stream.
   */
  static final Map<String, String> PLACES = places();

  private final ServerSocket listening;

  /** Answers with a key in them. */
  final AtomicInteger planted = new AtomicInteger();

  EchoingProvider() throws IOException {
    listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + listening.getLocalPort();
  }

  private static Map<String, String> places() {
    var places = new LinkedHashMap<String, String>();
    var json = "content-type: application/json";
    var events = "HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n";
    for (int status : new int[] {400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503, 529}) {
      places.put(
          "json" + status,
          "HTTP/1.1 "
              + status
              + " KEY\n"
              + json
              + "\n\n"
              + "{\"type\":\"error\",\"error\":{\"message\":\"Bad key KEY, BASIC\",\"type\":\"KEY\","
              + "\"code\":\"KEY\",\"param\":\"URL\",\"status\":\"KEY\"},\"message\":\"KEY\"}");
    }
    places.put("html", "HTTP/1.1 502 x\ncontent-type: text/html\n\n<html><h1>KEY</h1>BASIC</html>");
    places.put("plain", "HTTP/1.1 418 x\ncontent-type: text/plain\n\nKEY BASIC URL");
    places.put("reason", "HTTP/1.1 200 KEY\n" + json + "\n\nTEXT");
    var headers =
        "x-echo: KEY\nauthorization: Bearer KEY\nwww-authenticate: Bearer KEY\nset-cookie: k=KEY\n"
            + "x-request-id: KEY\nrequest-id: KEY\nretry-after: KEY\netag: \"KEY\"\nlink: <http://KEY>\n"
            + "x-KEY: 1\nx-basic: Basic BASIC\nx-url: URL\nx-mainstay-call: KEY\nvia: KEY\n"
            + "x-mainstay-target: KEY\nidempotent-replayed: true\nserver: KEY\nrefresh: 0; KEY\n"
            + "location: http://KEY/\nx-accel-redirect: /KEY\nx-should-retry: KEY\n"
            + "openai-organization: KEY\nx-ratelimit-reset: KEY\ncontent-location: /KEY\n";
    places.put("headers200", "HTTP/1.1 200 OK\n" + headers + json + "\n\nTEXT");
    places.put("headers400", "HTTP/1.1 400 OK\n" + headers + json + "\n\n{\"error\":{}}");
    places.put("headers429", "HTTP/1.1 429 OK\n" + headers + json + "\n\n{\"error\":{}}");
    places.put("headers503", "HTTP/1.1 503 OK\n" + headers + json + "\n\n{\"error\":{}}");
    places.put("type", "HTTP/1.1 200 OK\ncontent-type: text/html; x=KEY\n\n<p>KEY");
    places.put("redirect", "HTTP/1.1 302 KEY\nlocation: http://127.0.0.1:1/?key=KEY\n\nKEY");
    places.put("unmodified", "HTTP/1.1 304 KEY\netag: \"KEY\"\n\n");
    places.put(
        "early", "HTTP/1.1 103 KEY\nlink: KEY\n\nHTTP/1.1 400 x\n" + json + "\n\n{\"a\":\"KEY\"}");
    places.put("body", "HTTP/1.1 200 OK\n" + json + "\n\nTEXT");
    places.put("broken", "HTTP/1.1 200 OK\n" + json + "\n\n{\"KEY\":\"KEY");
    places.put("gzip", "HTTP/1.1 200 OK\ncontent-encoding: gzip\n" + json + "\n\nTEXT");
    places.put("cut", "HTTP/1.1 200 OK\ncontent-length: 9999\n" + json + "\n\nTEXT");
    places.put("nohttp", "KEY KEY\n\nKEY");
    places.put("badheader", "HTTP/1.1 200 OK\nKEY KEY KEY\n\nKEY");
    places.put("badlength", "HTTP/1.1 200 OK\ncontent-length: KEY\n\nKEY");
    places.put("chunks", "HTTP/1.1 200 OK\n" + json + "\ntransfer-encoding: chunked\n\nTEXT");
    places.put("badchunk", "HTTP/1.1 200 OK\n" + json + "\ntransfer-encoding: chunked\n\rKEY");
    places.put("events", events + "EVENTS");
    places.put(
        "eventchunks", events.replace("\n\n", "\ntransfer-encoding: chunked\n\n") + "EVENTS");
    places.put("comment", events + ": KEY\n\nevent: KEY\nid: KEY\nretry: KEY\ndata: KEY\n\n");
    places.put(
        "errorevent",
        events
            + "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"KEY BASIC\",\"type\":\"KEY\",\"code\":\"KEY\"}}\n\n");
    places.put(
        "lateerror",
        events
            + "HALF"
            + "event: error\ndata: {\"error\":{\"message\":\"KEY\",\"code\":\"KEY\"}}\n\n");
    places.put("noevent", events + "data: {KEY\n\n");
    return places;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        var socket = listening.accept();
        Thread.startVirtualThread(() -> serve(socket));
      } catch (IOException e) {
        // Closed by the test.
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = socket.getInputStream();
      var head = head(in);
      var length = LENGTH.matcher(head);
      var body =
          length.find() ? new String(in.readNBytes(Integer.parseInt(length.group(1))), UTF_8) : "";
      var place = PLACE.matcher(head + body);
      var key = KEY.matcher(head);
      if (place.find() && key.find()) {
        socket.getOutputStream().write(answer(place.group(1), key.group(1), head));
        planted.incrementAndGet();
      }
    } catch (IOException e) {
      // The gateway may close first.
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        break;
      }
      head.append((char) b);
    }
    return head.toString();
  }

  private static byte[] answer(String place, String key, String request) throws IOException {
    var basic = Base64.getEncoder().encodeToString(("user:" + key).getBytes(UTF_8));
    var template = PLACES.getOrDefault(place, "HTTP/1.1 404 x\n\n");
    var url = URLEncoder.encode(key, UTF_8);
    int at = template.lastIndexOf("HTTP/1.1");
    at = template.indexOf("\n\n", Math.max(0, at));
    var head = at < 0 ? template : template.substring(0, at);
    var body = at < 0 ? "" : template.substring(at + 2);
    var words = "Hello KEY and BASIC";
    body =
        body.replace("TEXT", text(request, words))
            .replace("EVENTS", events(request, words, true))
            .replace("HALF", events(request, words, false))
            .replace("KEY", key)
            .replace("BASIC", basic)
            .replace("URL", url);
    head = head.replace("KEY", key).replace("BASIC", basic).replace("URL", url);
    var out = new ByteArrayOutputStream();
    out.writeBytes(
        (head.replace("\n", "\r\n") + "\r\nconnection: close\r\n\r\n").getBytes(ISO_8859_1));
    if (head.contains("gzip")) {
      try (var gzip = new GZIPOutputStream(out)) {
        gzip.write(body.getBytes(UTF_8));
      }
    } else if (head.contains("chunked")) {
      // Every key is cut in two, and follows the body once more.
      for (int from = 0; from < body.length(); from += 7) {
        var part = body.substring(from, Math.min(body.length(), from + 7));
        out.writeBytes(
            (Integer.toHexString(part.length()) + ";x=" + key + "\r\n" + part + "\r\n")
                .getBytes(ISO_8859_1));
      }
      out.writeBytes(
          ("0\r\nx-trailer: " + key + "\r\nx-" + key + ": 1\r\n\r\n").getBytes(ISO_8859_1));
    } else {
      out.writeBytes(body.getBytes(UTF_8));
    }
    return out.toByteArray();
  }

  private static String path(String request) {
    return request.substring(0, request.indexOf('\n'));
  }

  /** A whole answer in the dialect of the path. */
  private static String text(String request, String words) {
    var path = path(request);
    if (path.contains("/messages")) {
      return "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\""
          + words
          + "\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}";
    }
    if (path.contains("models/")) {
      return "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\""
          + words
          + "\"}]},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":1,\"candidatesTokenCount\":1,\"totalTokenCount\":2}}";
    }
    return "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
        + words
        + "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}";
  }

  /** The same as a stream, to its end or not. */
  private static String events(String request, String words, boolean whole) {
    var path = path(request);
    if (path.contains("/messages")) {
      return "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"
          + "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
          + "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
          + words
          + "\"}}\n\n"
          + (whole
              ? "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
              : "");
    }
    if (path.contains("models/")) {
      return "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\""
          + words
          + "\"}]},\"index\":0"
          + (whole ? ",\"finishReason\":\"STOP\"" : "")
          + "}]}\n\n";
    }
    var chunk =
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n";
    return chunk.formatted("{\"role\":\"assistant\",\"content\":\"" + words + "\"}", "null")
        + (whole ? chunk.formatted("{}", "\"stop\"") + "data: [DONE]\n\n" : "");
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
