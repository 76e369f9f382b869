package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import tools.jackson.databind.JsonNode;

/** OpenAI's and Mistral's embeddings: the same input always gets the same vector. */
final class OpenAiEmbeddings implements OpenAiErrors {
  static final int DIMENSIONS = 8;

  @Override
  public String label() {
    return "openai-embeddings";
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode body) {
    return SimulatedRequest.of(
        id,
        created,
        provider,
        exchange,
        body,
        new AnswerPrefix.Reading().conversation(List.of(), false));
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    JsonNode input = ask.body().path("input");
    boolean many = input.isArray() && !input.isEmpty() && !input.get(0).isNumber();
    boolean packed = ask.body().path("encoding_format").asString("").equals("base64");
    int size = ask.body().path("dimensions").asInt(DIMENSIONS);
    // The id is Mistral's, whose SDK requires one; OpenAI's ignores it.
    var body = Json.object().put("id", "embd-sim" + ask.id()).put("object", "list");
    var data = body.putArray("data");
    for (int i = 0; i < (many ? input.size() : 1); i++) {
      float[] vector = vector(many ? input.get(i) : input, Math.clamp(size, 1, 4096));
      var item = data.addObject().put("object", "embedding").put("index", i);
      if (packed) item.put("embedding", base64(vector));
      else for (float value : vector) item.withArray("embedding").add(value);
    }
    body.put("model", ask.model());
    body.putObject("usage")
        .put("prompt_tokens", ask.inputTokens())
        .put("total_tokens", ask.inputTokens());
    return Reply.whole(body);
  }

  static float[] vector(JsonNode input, int size) {
    var random = new Random(input.toString().hashCode());
    var vector = new float[size];
    for (int i = 0; i < size; i++) vector[i] = random.nextFloat() - 0.5f;
    return vector;
  }

  private static String base64(float[] vector) {
    var bytes = ByteBuffer.allocate(vector.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : vector) bytes.putFloat(value);
    return Base64.getEncoder().encodeToString(bytes.array());
  }

  @Override
  public byte[] errorEvent(String body) {
    return Reply.data(body);
  }
}
