package dev.mainstay.call.settings;

import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.wire.translate.OnLoss;
import java.time.Duration;
import java.util.Map;

/**
 * How calls to one model are carried out.
 *
 * @param keepAlive a stream on which nothing could be sent for so long gets its headers and
 *     comments; the server's
 */
public record CallSettings(
    @Setting(value = "How Mainstay recovers a call, and within which bounds.", inline = true)
        Policy policy,
    @Setting("The time limits of an attempt.") Timeouts timeouts,
    @Setting(
            value =
                "When the client receives tool calls: together after the turn has ended (`hold`),"
                    + " or as they arrive (`stream`).",
            byDefault = "hold")
        ToolCalls toolCalls,
    @Setting(
            value =
                "Whether a tool call's arguments must fit the tool's schema only where the request"
                    + " says `strict`, or always.",
            byDefault = "strict")
        ToolSchemas toolSchemas,
    @Setting(
            value =
                "What Mainstay does with a field that the target's dialect does not have: `drop`"
                    + " leaves it out and names it in `x-mainstay-degraded`, `refuse` skips the"
                    + " target.",
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
    return Declaration.with(this, Map.of("policy", value));
  }

  public CallSettings withTimeouts(Timeouts value) {
    return Declaration.with(this, Map.of("timeouts", value));
  }

  public CallSettings withKeepAlive(Duration value) {
    return Declaration.with(this, Map.of("keepAlive", value));
  }
}
