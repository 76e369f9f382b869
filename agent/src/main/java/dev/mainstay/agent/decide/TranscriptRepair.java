package dev.mainstay.agent.decide;

import dev.mainstay.engine.model.Message;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.repair.HistoryRepair;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a transcript one that every provider takes: each tool call answered once and right behind
 * it, each result with its call, arguments that are no JSON object replaced by {@code {}}. What is
 * in order is not touched, so that the provider's prompt cache keeps hitting. Pure, and doing it
 * twice changes nothing more.
 */
public final class TranscriptRepair {
  private TranscriptRepair() {}

  /** {@code messages}, mended where they need it. */
  public static List<Message> mend(List<Message> messages) {
    var harmless = messages.stream().map(TranscriptRepair::harmless).toList();
    var body = Tree.object();
    var list = body.putArray("messages");
    harmless.forEach(message -> list.add(message.json()));
    var mended =
        HistoryRepair.mend(Dialect.OPENAI_CHAT, Tree.write(body).getBytes(StandardCharsets.UTF_8));
    if (mended.isEmpty()) {
      return harmless;
    }
    byte[] bytes = mended.get().body();
    var all = new ArrayList<Message>();
    for (var message : Tree.read(bytes, 0, bytes.length).path("messages")) {
      all.add(new Message((ObjectNode) message));
    }
    return List.copyOf(all);
  }

  private static Message harmless(Message message) {
    ObjectNode copy = null;
    var calls = message.json().path("tool_calls");
    for (int i = 0; i < calls.size(); i++) {
      var arguments = calls.get(i).path("function").path("arguments");
      if (!isObject(arguments.stringValue(null))) {
        copy = copy == null ? message.json().deepCopy() : copy;
        if (copy.path("tool_calls").get(i).path("function") instanceof ObjectNode function) {
          function.put("arguments", "{}");
        }
      }
    }
    return copy == null ? message : new Message(copy);
  }

  private static boolean isObject(@Nullable String json) {
    try {
      return json != null && Tree.read(json).isObject();
    } catch (JacksonException e) {
      return false;
    }
  }
}
