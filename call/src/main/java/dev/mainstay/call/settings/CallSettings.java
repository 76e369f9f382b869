package dev.mainstay.call.settings;

import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.wire.translate.OnLoss;
import java.time.Duration;

/**
 * How calls to one model are carried out.
 *
 * @param keepAlive a stream on which nothing could be sent for so long gets its headers and
 *     comments; the server's
 */
public record CallSettings(
    @Setting(value = "How much Mainstay does for one call, and for what.", inline = true)
        Policy policy,
    @Setting("How long an attempt may take.") Timeouts timeouts,
    @Setting(
            value =
                "When tool calls are handed over: together once the turn has ended well, or as"
                    + " they arrive.",
            byDefault = "hold")
        ToolCalls toolCalls,
    @Setting(
            value =
                "When a tool call's arguments must fit the tool's schema: where the request says"
                    + " `strict`, or always.",
            byDefault = "strict")
        ToolSchemas toolSchemas,
    @Setting(
            value =
                "What happens to a field that the target's dialect has no word for: left out and"
                    + " named in `x-mainstay-degraded`, or that target is not asked.",
            name = "translation-loss",
            byDefault = "drop")
        OnLoss onLoss,
    Duration keepAlive) {
  private static final CallSettings DEFAULTS = Declaration.defaults(CallSettings.class);

  public CallSettings {
    keepAlive = keepAlive == null ? Duration.ofSeconds(30) : keepAlive;
  }

  public static CallSettings defaults() {
    return DEFAULTS;
  }

  public CallSettings withPolicy(Policy value) {
    return new CallSettings(value, timeouts, toolCalls, toolSchemas, onLoss, keepAlive);
  }

  public CallSettings withTimeouts(Timeouts value) {
    return new CallSettings(policy, value, toolCalls, toolSchemas, onLoss, keepAlive);
  }

  public CallSettings withKeepAlive(Duration value) {
    return new CallSettings(policy, timeouts, toolCalls, toolSchemas, onLoss, value);
  }
}
