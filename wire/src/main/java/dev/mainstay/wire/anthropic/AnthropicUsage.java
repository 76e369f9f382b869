package dev.mainstay.wire.anthropic;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;

/**
 * Anthropic's {@code usage}: input excludes what was cached; {@code message_start} gives a first
 * count and {@code message_delta} the cumulative one, of which only what it names counts.
 */
public final class AnthropicUsage {
  private long input;
  private long cached;
  private long cacheWrite;
  private long output;
  private long thinking;
  private boolean any;

  /** Takes what the object {@code p} stands on tells. */
  public void read(JsonParser p) {
    any = true;
    Json.fields(p, this::field);
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "input_tokens" -> input = Json.count(p);
      case "cache_read_input_tokens" -> cached = Json.count(p);
      case "cache_creation_input_tokens" -> cacheWrite = Json.count(p);
      case "output_tokens" -> output = Json.count(p);
      case "output_tokens_details" ->
          Json.fields(
              p,
              (detail, value) -> {
                if (detail.equals("thinking_tokens") || detail.equals("reasoning_tokens")) {
                  thinking = Json.count(value);
                }
              });
      default -> {}
    }
  }

  /** What was told so far, or null where nothing was. */
  public @Nullable Usage usage() {
    return any
        ? new Usage(input, cached, cacheWrite, Math.max(0, output - thinking), thinking, false)
        : null;
  }
}
