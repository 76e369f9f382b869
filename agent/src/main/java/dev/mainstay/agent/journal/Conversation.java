package dev.mainstay.agent.journal;

import dev.mainstay.engine.model.Message;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The messages of a run. While tool calls of the last answer are open, what persons say waits
 * behind their results: no message ever comes between a call and its result.
 */
final class Conversation {
  private final List<Message> messages = new ArrayList<>();
  private final List<Message> held = new ArrayList<>();
  private boolean open;

  List<Message> messages() {
    return List.copyOf(messages);
  }

  /** Goes on from {@code history}, behind which what is there already follows. */
  void prepend(List<JsonNode> history) {
    messages.addAll(0, read(history));
  }

  void replace(List<JsonNode> all) {
    messages.clear();
    messages.addAll(read(all));
  }

  /** The model's answer; its results follow where it calls tools. */
  void answer(Message message) {
    messages.add(message);
    open = !message.toolCalls().isEmpty();
  }

  void results(List<Message> results) {
    messages.addAll(results);
    messages.addAll(held);
    held.clear();
    open = false;
  }

  void say(Message message) {
    (open ? held : messages).add(message);
  }

  /** Takes back an answer that says nothing: providers refuse a conversation that holds one. */
  void dropAnswer() {
    if (!messages.isEmpty() && isAnswer(messages.getLast())) {
      messages.removeLast();
    }
  }

  static boolean isAnswer(Message message) {
    return message.role().equals("assistant") && message.toolCalls().isEmpty();
  }

  private static List<Message> read(List<JsonNode> json) {
    return json.stream().map(each -> new Message((ObjectNode) each)).toList();
  }
}
