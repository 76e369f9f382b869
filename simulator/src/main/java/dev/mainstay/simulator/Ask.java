package dev.mainstay.simulator;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A request as a simulated model sees it.
 *
 * @param id unique within this process; part of the ids in the answer
 * @param created seconds since 1970
 * @param provider the first part of the path, possibly empty
 * @param stream whether events are asked for
 * @param tools names offered
 * @param last the last user message's text, possibly empty
 * @param prefill what the answer is to go on from: the text of an assistant message at the end;
 *     empty: nothing
 * @param inputTokens as usage says it
 */
record Ask(
    long id,
    long created,
    String provider,
    String model,
    boolean stream,
    List<String> tools,
    String last,
    String prefill,
    int inputTokens,
    JsonNode body) {

  /**
   * The answer to this request: placeholders filled in, and without what a prefill has said
   * already.
   */
  Answer tailored(Answer answer) {
    String text = answer.text() == null ? null : filled(answer.text());
    if (text != null && !prefill.isEmpty() && text.startsWith(prefill))
      text = text.substring(prefill.length());
    return new Answer(
        text,
        answer.reasoning() == null ? null : filled(answer.reasoning()),
        answer.toolCalls().stream()
            .map(call -> new Answer.ToolCall(filled(call.name()), filled(call.arguments())))
            .toList(),
        answer.finish(),
        answer.refusal());
  }

  /** {@code text} with the placeholders filled in. */
  String filled(String text) {
    if (text.indexOf("${") < 0) return text;
    return text.replace("${model}", model)
        .replace("${tool}", tools.isEmpty() ? "tool" : tools.getFirst())
        .replace("${last}", last);
  }
}
