package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Providers may send anything: a value of another type, a field left out, an event twice or out of
 * order. It is read as far as it can be, or is malformed; nothing else comes of it.
 */
final class HostileRepliesTest {
  private static final int VARIANTS = 150;

  static List<String> names() {
    return RecordedStreams.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void nothingButMalformedComesOfIt(String name) {
    var dialect = RecordedStreams.dialect(name);
    for (int seed = 0; seed < VARIANTS; seed++) {
      var stream = mutated(RecordedStreams.get(name), new Random(seed));
      var deltas = new ArrayList<Delta>();
      var reader = Replies.reader(dialect);
      try {
        new SseScanner()
            .feed(stream, 0, stream.length, event -> deltas.addAll(reader.read(event)) || true);
      } catch (MalformedReplyException e) {
        assertThat(e).hasMessageStartingWith("the answer");
      }
      for (var other : Dialect.values()) {
        var writer = Replies.writer(other, RecordedStreams.OPTIONS);
        writer.resume(other == dialect ? stream : new byte[0]);
        var to = new ByteArrayOutputStream();
        deltas.forEach(delta -> writer.write(delta, to));
        Replies.writer(other, RecordedStreams.OPTIONS).whole(deltas);
      }
    }
  }

  private static byte[] mutated(String stream, Random random) {
    var out = new StringBuilder();
    for (var event : stream.split("\r?\n\r?\n", -1)) {
      int data = event.indexOf("data: ");
      if (data < 0 || event.endsWith("[DONE]")) {
        out.append(event).append("\n\n");
        continue;
      }
      var json = Tree.read(event.substring(data + 6));
      if (random.nextInt(3) == 0) {
        mutate(json, random);
      }
      var changed = event.substring(0, data + 6) + Tree.write(json) + "\n\n";
      switch (random.nextInt(20)) {
        case 0 -> {}
        case 1 -> out.append(changed).append(changed);
        default -> out.append(changed);
      }
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void mutate(JsonNode node, Random random) {
    if (node instanceof ObjectNode object && !object.isEmpty()) {
      var names = List.copyOf(object.propertyNames());
      var name = names.get(random.nextInt(names.size()));
      switch (random.nextInt(4)) {
        case 0 -> object.set(name, other(random));
        case 1 -> object.remove(name);
        default -> mutate(object.get(name), random);
      }
    } else if (node instanceof ArrayNode array && !array.isEmpty()) {
      int at = random.nextInt(array.size());
      if (random.nextInt(4) == 0) {
        array.set(at, other(random));
      } else {
        mutate(array.get(at), random);
      }
    }
  }

  private static JsonNode other(Random random) {
    var values =
        Tree.read(
            "[null,true,-1,2000000000,1e300,\"\",\"x\",\"bWFpbnN0YXk6e30=\",[],{},[[]],[{}],"
                + "{\"type\":7,\"index\":-5}]");
    return values.get(random.nextInt(values.size()));
  }
}
