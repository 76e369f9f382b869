package dev.mainstay.engine.money;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.money.InputLimits;
import dev.mainstay.wire.money.OutputLimits;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.ToolUses;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.request.Attachments;
import dev.mainstay.wire.request.RequestHead;
import dev.mainstay.wire.request.ServerTools;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The most that one attempt at a request can cost: every byte of its text a token, because no token
 * is shorter than a byte; each image as many as its provider makes of the largest; with files, or
 * what a provider keeps, all that the model reads at once; the same again for each time that it may
 * read what the provider's own tools found, and what their use costs; and as many tokens in the
 * answer as it allows; at the dearest of the targets.
 *
 * @param nanos nano-dollars, or null where nobody knows
 * @param unknown what nobody knows, in words; empty where {@code nanos} is known
 * @param tools whether the provider may use tools of its own, which are paid also where nothing is
 *     seen of them
 */
record CostBound(@Nullable Long nanos, String unknown, boolean tools) {
  /** More than any account has, and still what a usage may say. */
  private static final long MOST_TOKENS = Usage.MOST - 1;

  /** How Anthropic's requests say {@code ttl}, of what is to be kept in its cache for an hour. */
  private static final byte[] HOUR = "\"1h\"".getBytes(StandardCharsets.US_ASCII);

  /**
   * @param assumed output tokens for a request that sets no limit; null for the model's most
   */
  static CostBound of(
      Operation operation,
      RequestHead head,
      byte[] body,
      List<TargetId> targets,
      Prices prices,
      LocalDate day,
      @Nullable Integer assumed) {
    var attached = Attachments.of(body);
    var served = ServerTools.of(operation, body);
    boolean tools = !served.tools().isEmpty();
    boolean forAnHour = mentions(body, HOUR);
    if (head.unreadable() != null) {
      return new CostBound(null, head.unreadable() + " is not a number above 0", tools);
    }
    long most = 0;
    for (var target : targets) {
      long output =
          operation.generates() ? output(operation, head, served, target.model(), assumed) : 0;
      if (output > MOST_TOKENS) {
        return new CostBound(null, "the request asks for more than a billion tokens", tools);
      }
      long input = input(head, body.length, attached, served, target.model());
      var cost = cost(input, output, forAnHour, target, prices, day);
      if (cost == null) {
        return new CostBound(null, "the price of " + target + " is unknown", tools);
      }
      for (var tool : served.tools()) {
        var unknown = unknown(tool, target, prices, day);
        if (unknown != null) {
          return new CostBound(null, unknown, tools);
        }
        cost += fees(tool, target, prices, day);
      }
      most = Math.max(most, cost);
    }
    return new CostBound(most, "", tools);
  }

  /** Whether a value stands anywhere in the request, if only in its text: then more is reserved. */
  private static boolean mentions(byte[] body, byte[] value) {
    for (int at = 0; at + value.length <= body.length; at++) {
      if (body[at] == value[0]
          && Arrays.equals(body, at, at + value.length, value, 0, value.length)) {
        return true;
      }
    }
    return false;
  }

  // ---- tokens

  private static long input(
      RequestHead head, int bytes, Attachments attached, ServerTools served, String model) {
    long text = bytes - attached.inlineBytes();
    long images = attached.images() * InputLimits.image(model);
    boolean more = head.objects().named() || attached.files() > 0;
    long again = served.readings() * Math.min(head.choices(), 64);
    long all =
        text
            + images
            + ((more ? 1 : 0) + again) * InputLimits.context(model)
            + (head.tools() ? InputLimits.tools(model) : 0);
    return Math.min(MOST_TOKENS, all);
  }

  private static @Nullable Long cost(
      long input, long output, boolean forAnHour, TargetId target, Prices prices, LocalDate day) {
    var plain =
        prices.nanos(
            target.provider(), target.model(), day, new Usage(input, 0, 0, output, 0, false));
    if (plain == null) {
      return null;
    }
    // Writing the provider's cache costs more than reading plainly, where it costs at all.
    var written =
        prices.nanos(
            target.provider(),
            target.model(),
            day,
            new Usage(0, 0, input, output, 0, false).withHourWrites(forAnHour ? input : 0));
    return written == null ? plain : (Long) Math.max(plain, written);
  }

  /** Saturates: the bound is checked before it is used. */
  private static long output(
      Operation operation,
      RequestHead head,
      ServerTools served,
      String model,
      @Nullable Integer assumed) {
    var asked = head.maxTokens();
    long most = OutputLimits.of(model);
    double one = asked != null ? asked : assumed == null ? most : Math.min(assumed, most);
    // OpenAI's limit is for all that is written for a response; others may write it each time.
    long times = operation == Operation.RESPONSES ? 1 : 1 + served.readings();
    return (long) (one * times * head.choices());
  }

  // ---- fees

  private static @Nullable String unknown(
      ServerTools.Tool tool, TargetId target, Prices prices, LocalDate day) {
    if (tool.unbounded()) {
      return "nothing limits what " + tool.name() + " may cost: " + tool.limit();
    }
    for (var fee : tool.fees()) {
      var price = prices.fees(target.provider(), target.model(), day, ToolUses.of(fee.unit(), 1));
      if (price == null) {
        return "Mainstay does not know the price of %s at %s: add a row for %s to prices"
            .formatted(tool.name(), target, fee.unit().wireName());
      }
      if (fee.most() == null && price > 0) {
        return "nothing limits how often " + tool.name() + " is used: " + tool.limit();
      }
    }
    return null;
  }

  private static long fees(ServerTools.Tool tool, TargetId target, Prices prices, LocalDate day) {
    long all = 0;
    for (var fee : tool.fees()) {
      var uses = ToolUses.of(fee.unit(), fee.most() == null ? 0 : fee.most());
      var price = prices.fees(target.provider(), target.model(), day, uses);
      all += price == null ? 0 : price;
    }
    return all;
  }
}
