package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.engine.model.Message;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Shortens a conversation that the model refused as too long, to half its bytes where it can: first
 * old results of tools are cut to an excerpt, then the oldest exchanges are left out, last the
 * newest results are cut. The first message and the last exchange stay. Deterministic.
 */
public final class Compaction {
  /** Characters kept of an old result; of a new one at least as many. */
  private static final int OLD_EXCERPT = 200;

  private Compaction() {}

  /** The shortened conversation, or null where it cannot be made shorter. */
  static JournalEntry.@Nullable Compacted of(RunState state, long now) {
    var before = state.transcript();
    var after = shorten(before);
    long bytesBefore = bytes(before);
    long bytesAfter = bytes(after);
    if (bytesAfter >= bytesBefore) {
      return null;
    }
    var json = new ArrayList<JsonNode>();
    after.forEach(message -> json.add(message.json()));
    return new JournalEntry.Compacted(bytesBefore, bytesAfter, json, now);
  }

  /** {@code messages} at about half their bytes. */
  static List<Message> shorten(List<Message> messages) {
    long goal = bytes(messages) / 2;
    int lastExchange = lastExchange(messages);
    var shorter = new ArrayList<Message>();
    for (int i = 0; i < messages.size(); i++) {
      var message = messages.get(i);
      shorter.add(i < lastExchange ? excerpt(message, OLD_EXCERPT) : message);
    }
    if (bytes(shorter) > goal) {
      dropOldest(shorter, goal);
    }
    if (bytes(shorter) > goal) {
      int room = room(shorter, goal);
      shorter.replaceAll(message -> excerpt(message, room));
    }
    return shorter;
  }

  /** Characters for each result of the last exchange, so that all together come to the goal. */
  private static int room(List<Message> messages, long goal) {
    long others = 0;
    int results = 0;
    for (var message : messages) {
      boolean result = message.role().equals("tool");
      others += result ? 0 : bytes(message);
      results += result ? 1 : 0;
    }
    return (int) Math.clamp((goal - others) / Math.max(1, results), OLD_EXCERPT, 1 << 20);
  }

  /** Where the last message begins that is no tool's result. */
  private static int lastExchange(List<Message> messages) {
    int at = messages.size() - 1;
    while (at > 0 && messages.get(at).role().equals("tool")) {
      at--;
    }
    return Math.max(0, at);
  }

  private static void dropOldest(List<Message> messages, long goal) {
    int last = lastExchange(messages);
    long size = bytes(messages);
    int end = 1;
    while (end < last && (size > goal || messages.get(end).role().equals("tool"))) {
      size -= bytes(messages.get(end));
      end++;
    }
    if (end > 1) {
      messages.subList(1, end).clear();
      messages.add(
          1,
          Message.user(
              "[%d earlier messages were left out: the conversation had become too long.]"
                  .formatted(end - 1)));
    }
  }

  private static Message excerpt(Message message, int most) {
    var text = message.text();
    if (!message.role().equals("tool") || text.length() <= most + most / 5) {
      return message;
    }
    int head = most * 3 / 4;
    int tail = most - head;
    var json = message.json().deepCopy();
    json.put(
        "content",
        "%s\n[%d characters were left out: the conversation had become too long.]\n%s"
            .formatted(
                safe(text, 0, head), text.length() - most, safe(text, text.length() - tail, tail)));
    return new Message(json);
  }

  /** A part of {@code text} that cuts no character in two. */
  private static String safe(String text, int from, int length) {
    int begin = from > 0 && Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from;
    int end = Math.min(text.length(), from + length);
    if (end > begin && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(begin, end);
  }

  private static long bytes(List<Message> messages) {
    return messages.stream().mapToLong(Compaction::bytes).sum();
  }

  private static long bytes(Message message) {
    return Tree.write(message.json()).getBytes(StandardCharsets.UTF_8).length;
  }
}
