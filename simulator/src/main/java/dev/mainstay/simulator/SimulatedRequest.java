package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A request as a simulated model sees it.
 *
 * @param id unique within this process; part of the ids in the answer
 * @param created seconds since 1970
 * @param provider the first part of the path, possibly empty
 * @param stream whether events are asked for
 * @param conversation what the answer is made from
 * @param inputTokens as usage says it
 */
record SimulatedRequest(
    long id,
    long created,
    String provider,
    String model,
    boolean stream,
    Conversation conversation,
    int inputTokens,
    JsonNode body) {

  /** A request that names its model in its body, and whether it wants a stream. */
  static SimulatedRequest of(
      long id,
      long created,
      String provider,
      Exchange exchange,
      JsonNode body,
      Conversation conversation) {
    return new SimulatedRequest(
        id,
        created,
        provider,
        body.path("model").asString(""),
        body.path("stream").asBoolean(false),
        conversation,
        tokens(exchange),
        body);
  }

  /**
   * What an answer is made from.
   *
   * @param tools names offered
   * @param last the last user message's text, possibly empty
   * @param begun what the answer is to go on from
   */
  record Conversation(List<String> tools, String last, AnswerPrefix begun) {
    private String tool() {
      return tools.isEmpty() ? "tool" : tools.getFirst();
    }
  }

  /** What the answer is to go on from. */
  AnswerPrefix begun() {
    return conversation.begun();
  }

  /** What a request's body counts as: a token for each four bytes. */
  static int tokens(Exchange exchange) {
    return Math.max(1, exchange.body().readableBytes() / 4);
  }

  /** What is different in the ids of each answer. */
  String mark() {
    return Long.toString(id + 100_000, 36);
  }

  /**
   * The answer to this request: placeholders filled in, and where it was begun, what the model says
   * when it {@code continues}.
   */
  Answer tailored(Answer answer, Continues continues) {
    String text = answer.text() == null ? null : text(answer.text(), continues);
    return new Answer(
        text,
        answer.reasoning() == null || begun().prefilled() ? null : filled(answer.reasoning()),
        answer.toolCalls().stream()
            .map(call -> new Answer.ToolCall(filled(call.name()), filled(call.arguments())))
            .toList(),
        answer.finish(),
        answer.refusal());
  }

  private String text(String said, Continues continues) {
    String whole = filled(said);
    if (begun().text().isEmpty()) return whole;
    if (begun().prefilled()) {
      return whole.startsWith(begun().text()) ? continues.rest(begun().text(), whole) : whole;
    }
    // An earlier turn's whole answer is no beginning of this one's.
    String earlier = filled(said, begun().asked());
    boolean goesOn = earlier.startsWith(begun().text()) && !earlier.equals(begun().text());
    return goesOn ? continues.rest(begun().text(), earlier) : whole;
  }

  /** {@code text} with the placeholders filled in. */
  String filled(String text) {
    return filled(text, conversation.last());
  }

  private String filled(String text, String last) {
    if (text.indexOf("${") < 0) return text;
    return text.replace("${model}", model)
        .replace("${tool}", conversation.tool())
        .replace("${last}", last);
  }
}
