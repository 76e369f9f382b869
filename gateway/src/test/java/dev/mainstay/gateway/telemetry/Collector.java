package dev.mainstay.gateway.telemetry;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A collector that reads protobuf by its own reading of the encoding, not by the writer's. */
final class Collector implements AutoCloseable {
  /** A span as it arrived. */
  record Got(
      String trace,
      String span,
      String parent,
      String state,
      String name,
      long kind,
      long start,
      long end,
      Map<String, Object> attributes,
      Map<String, Object> event,
      boolean error) {}

  private final HttpServer server;
  private final BlockingQueue<Got> spans = new LinkedBlockingQueue<>();
  final BlockingQueue<Map<String, Object>> resources = new LinkedBlockingQueue<>();
  final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
  final BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();

  Collector() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(
        "/",
        exchange -> {
          var body = exchange.getRequestBody().readAllBytes();
          requests.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("content-type")
                  + " "
                  + exchange.getRequestHeaders().getFirst("x-token"));
          var status = statuses.poll();
          if (status == null) {
            read(body);
          }
          exchange.sendResponseHeaders(status == null ? 200 : status, -1);
          exchange.close();
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  Got next() throws InterruptedException {
    var span = spans.poll(60, TimeUnit.SECONDS);
    if (span == null) {
      throw new AssertionError("no span came");
    }
    return span;
  }

  private static final Field NONE = new Field(0, 0, new byte[0]);

  @SuppressWarnings("ArrayRecordComponent") // read once
  private record Field(int number, long value, byte[] bytes) {
    String text() {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static List<Field> fields(byte[] message) {
    var in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    var fields = new ArrayList<Field>();
    while (in.hasRemaining()) {
      long tag = varint(in);
      int number = (int) (tag >>> 3);
      switch ((int) (tag & 7)) {
        case 0 -> fields.add(new Field(number, varint(in), new byte[0]));
        case 1 -> fields.add(new Field(number, in.getLong(), new byte[0]));
        case 5 -> fields.add(new Field(number, in.getInt(), new byte[0]));
        case 2 -> {
          var bytes = new byte[(int) varint(in)];
          in.get(bytes);
          fields.add(new Field(number, 0, bytes));
        }
        default -> throw new AssertionError("no such wire type");
      }
    }
    return fields;
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = in.get();
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  private void read(byte[] request) {
    for (var resourceSpans : fields(request)) {
      for (var part : fields(resourceSpans.bytes())) {
        if (part.number() == 1) {
          var attributes = new LinkedHashMap<String, Object>();
          fields(part.bytes()).forEach(each -> attribute(each.bytes(), attributes));
          resources.add(attributes);
        } else {
          fields(part.bytes()).stream()
              .filter(each -> each.number() == 2)
              .forEach(each -> spans.add(span(each.bytes())));
        }
      }
    }
  }

  private static void attribute(byte[] keyValue, Map<String, Object> into) {
    var pair = fields(keyValue);
    var value = fields(pair.get(1).bytes()).getFirst();
    into.put(
        pair.getFirst().text(),
        switch (value.number()) {
          case 1 -> value.text();
          case 2 -> value.value() == 1;
          case 3 -> value.value();
          default -> Double.longBitsToDouble(value.value());
        });
  }

  private static Got span(byte[] message) {
    var attributes = new LinkedHashMap<String, Object>();
    var event = new LinkedHashMap<String, Object>();
    var one = new LinkedHashMap<Integer, Field>();
    for (var field : fields(message)) {
      if (field.number() == 9) {
        attribute(field.bytes(), attributes);
      } else if (field.number() == 11) {
        for (var part : fields(field.bytes())) {
          if (part.number() == 2) {
            event.put("name", part.text());
          } else if (part.number() == 3) {
            attribute(part.bytes(), event);
          }
        }
      } else {
        one.put(field.number(), field);
      }
    }
    return new Got(
        hex(one, 1),
        hex(one, 2),
        hex(one, 4),
        one.getOrDefault(3, NONE).text(),
        one.getOrDefault(5, NONE).text(),
        one.getOrDefault(6, NONE).value(),
        one.getOrDefault(7, NONE).value(),
        one.getOrDefault(8, NONE).value(),
        attributes,
        event,
        one.containsKey(15));
  }

  private static String hex(Map<Integer, Field> fields, int number) {
    return HexFormat.of().formatHex(fields.getOrDefault(number, NONE).bytes());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
