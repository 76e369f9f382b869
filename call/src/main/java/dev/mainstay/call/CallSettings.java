package dev.mainstay.call;

import dev.mainstay.core.recovery.Policy;
import java.time.Duration;

/**
 * How calls to one model are carried out.
 *
 * @param policy how much is done for one call, and for what
 * @param timeouts how long an attempt may take
 * @param toolCalls when tool calls are handed over; default {@link ToolCalls#HOLD}
 * @param keepAlive a stream on which nothing could be sent for so long gets its headers and
 *     comments; default 30 s
 */
public record CallSettings(
    Policy policy, Timeouts timeouts, ToolCalls toolCalls, Duration keepAlive) {
  private static final CallSettings DEFAULTS =
      new CallSettings(
          Policy.defaults(), Timeouts.defaults(), ToolCalls.HOLD, Duration.ofSeconds(30));

  public static CallSettings defaults() {
    return DEFAULTS;
  }

  public CallSettings withPolicy(Policy value) {
    return new CallSettings(value, timeouts, toolCalls, keepAlive);
  }

  public CallSettings withTimeouts(Timeouts value) {
    return new CallSettings(policy, value, toolCalls, keepAlive);
  }
}
