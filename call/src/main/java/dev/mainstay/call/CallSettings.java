package dev.mainstay.call;

import dev.mainstay.core.recovery.Policy;
import dev.mainstay.wire.translate.OnLoss;
import java.time.Duration;

/**
 * How calls to one model are carried out.
 *
 * @param policy how much is done for one call, and for what
 * @param timeouts how long an attempt may take
 * @param toolCalls when tool calls are handed over; default {@link ToolCalls#HOLD}
 * @param toolSchemas when their arguments must fit the tool's schema; default {@link
 *     ToolSchemas#STRICT}
 * @param onLoss what is done with a field that the target's dialect has no word for; default {@link
 *     OnLoss#DROP}
 * @param keepAlive a stream on which nothing could be sent for so long gets its headers and
 *     comments; default 30 s
 */
public record CallSettings(
    Policy policy,
    Timeouts timeouts,
    ToolCalls toolCalls,
    ToolSchemas toolSchemas,
    OnLoss onLoss,
    Duration keepAlive) {
  private static final CallSettings DEFAULTS =
      new CallSettings(
          Policy.defaults(),
          Timeouts.defaults(),
          ToolCalls.HOLD,
          ToolSchemas.STRICT,
          OnLoss.DROP,
          Duration.ofSeconds(30));

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
