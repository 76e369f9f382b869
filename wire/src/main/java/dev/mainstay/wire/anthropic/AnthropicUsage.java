package dev.mainstay.wire.anthropic;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.ToolUses;
import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.money.Usage;
import org.jspecify.annotations.Nullable;

/**
 * Anthropic's {@code usage}: input excludes what was cached; {@code message_start} gives a first
 * count and {@code message_delta} the cumulative one, of which only what it names counts.
 */
public final class AnthropicUsage {
  private long input;
  private long cached;
  private long cacheWrite;
  private long hourWrites;
  private long output;
  private long thinking;
  private long searches;
  private boolean any;

  /** Takes what the object that comes next tells. */
  public void read(JsonWalk walk) {
    any = true;
    for (walk.object(); walk.field(); ) {
      field(walk);
    }
  }

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "input_tokens" -> input = walk.count();
      case "cache_read_input_tokens" -> cached = walk.count();
      case "cache_creation_input_tokens" -> cacheWrite = walk.count();
      case "cache_creation" -> {
        for (walk.object(); walk.field(); ) {
          if (walk.name().equals("ephemeral_1h_input_tokens")) {
            hourWrites = walk.count();
          }
        }
      }
      case "output_tokens" -> output = walk.count();
      case "output_tokens_details" -> {
        for (walk.object(); walk.field(); ) {
          switch (walk.name()) {
            case "thinking_tokens", "reasoning_tokens" -> thinking = walk.count();
            default -> {}
          }
        }
      }
      case "server_tool_use" -> {
        for (walk.object(); walk.field(); ) {
          if (walk.name().equals("web_search_requests")) {
            searches = walk.count();
          }
        }
      }
      default -> {}
    }
  }

  /** What was told so far, or null where nothing was. */
  public @Nullable Usage usage() {
    return any
        ? new Usage(input, cached, cacheWrite, Math.max(0, output - thinking), thinking, false)
            .with(ToolUses.of(Unit.WEB_SEARCH, searches))
            .withHourWrites(hourWrites)
        : null;
  }
}
