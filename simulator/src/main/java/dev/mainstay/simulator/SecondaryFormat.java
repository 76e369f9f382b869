package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.util.function.BiFunction;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request beside the main one of a dialect, answered whole: token counts, Gemini's embeddings.
 * Everything else is the dialect's.
 *
 * @param main the dialect's format
 * @param body makes the answer
 */
record SecondaryFormat(Format main, BiFunction<SimulatedRequest, Answer, ObjectNode> body)
    implements Format {
  static final SecondaryFormat ANTHROPIC_TOKENS =
      new SecondaryFormat(
          new Anthropic(), (ask, _) -> Json.object().put("input_tokens", ask.inputTokens()));

  static SecondaryFormat geminiTokens(String model) {
    return new SecondaryFormat(
        new Gemini(model, false, false),
        (ask, _) -> {
          var counted = Json.object().put("totalTokens", ask.inputTokens());
          counted
              .putArray("promptTokensDetails")
              .addObject()
              .put("modality", "TEXT")
              .put("tokenCount", ask.inputTokens());
          return counted;
        });
  }

  static SecondaryFormat geminiEmbedding(String model) {
    return new SecondaryFormat(
        new Gemini(model, false, false),
        (ask, _) -> {
          var body = Json.object();
          values(body.putObject("embedding"), ask.body().path("content"));
          return body;
        });
  }

  static SecondaryFormat geminiEmbeddings(String model) {
    return new SecondaryFormat(
        new Gemini(model, false, false),
        (ask, _) -> {
          var body = Json.object();
          var all = body.putArray("embeddings");
          for (JsonNode request : ask.body().path("requests"))
            values(all.addObject(), request.path("content"));
          return body;
        });
  }

  private static void values(ObjectNode embedding, JsonNode content) {
    var values = embedding.putArray("values");
    for (float value : OpenAiEmbeddings.vector(content, OpenAiEmbeddings.DIMENSIONS))
      values.add(value);
  }

  @Override
  public String label() {
    return main.label();
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode json) {
    return main.read(id, created, provider, exchange, json);
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    return Reply.whole(body.apply(ask, answer));
  }

  @Override
  public byte[] errorEvent(String event) {
    return main.errorEvent(event);
  }

  @Override
  public Fault.Reply unknownModel(String model) {
    return main.unknownModel(model);
  }

  @Override
  public Fault.Reply rateLimited(String model, boolean tokens, int limit, long waitMillis) {
    return main.rateLimited(model, tokens, limit, waitMillis);
  }

  @Override
  public Fault.Reply unreadable() {
    return main.unreadable();
  }
}
