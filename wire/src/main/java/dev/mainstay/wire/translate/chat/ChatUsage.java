package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI's {@code usage}: counts that include what their details name. */
final class ChatUsage {
  private ChatUsage() {}

  static ObjectNode of(Usage usage) {
    long completion = usage.output() + usage.reasoning();
    var json =
        Tree.object()
            .put("prompt_tokens", usage.prompt())
            .put("completion_tokens", completion)
            .put("total_tokens", usage.prompt() + completion);
    var prompt = json.putObject("prompt_tokens_details").put("cached_tokens", usage.cachedInput());
    if (usage.cacheWrite() > 0) {
      prompt.put("cache_write_tokens", usage.cacheWrite());
    }
    json.putObject("completion_tokens_details").put("reasoning_tokens", usage.reasoning());
    return json;
  }
}
