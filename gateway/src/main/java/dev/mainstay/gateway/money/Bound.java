package dev.mainstay.gateway.money;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.money.InputLimits;
import dev.mainstay.wire.money.OutputLimits;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.request.Attachments;
import dev.mainstay.wire.request.RequestHead;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The most that one attempt at a request can cost: every byte of its text a token, because no token
 * is shorter than a byte; each image as many as its provider makes of the largest; with files, or
 * what a provider keeps, all that the model reads at once; and as many tokens in the answer as it
 * allows; at the dearest of the targets.
 *
 * @param nanos nano-dollars, or null where a price is unknown
 * @param unpriced the first target whose price is unknown, or null
 */
record Bound(@Nullable Long nanos, @Nullable TargetId unpriced) {
  /** More than any account has, and far from overflowing. */
  private static final long MOST_TOKENS = 1_000_000_000;

  static Bound of(
      Operation operation,
      RequestHead head,
      byte[] body,
      List<TargetId> targets,
      Prices prices,
      LocalDate day) {
    var attached = Attachments.of(body);
    long most = 0;
    for (var target : targets) {
      long input = input(head, body.length, attached, target.model());
      var cost = cost(operation, head, input, target, prices, day);
      if (cost == null) {
        return new Bound(null, target);
      }
      most = Math.max(most, cost);
    }
    return new Bound(most, null);
  }

  private static long input(RequestHead head, int bytes, Attachments attached, String model) {
    long text = bytes - attached.inlineBytes();
    long images = attached.images() * InputLimits.image(model);
    boolean more = head.bound() || attached.files() > 0;
    return text
        + images
        + (more ? InputLimits.context(model) : 0)
        + (head.tools() ? InputLimits.tools(model) : 0);
  }

  private static @Nullable Long cost(
      Operation operation,
      RequestHead head,
      long input,
      TargetId target,
      Prices prices,
      LocalDate day) {
    long output = operation.generates() ? output(head, target.model()) : 0;
    var plain =
        prices.nanos(
            target.provider(), target.model(), day, new Usage(input, 0, 0, output, 0, false));
    if (plain == null) {
      return null;
    }
    // Writing the provider's cache costs more than reading plainly, where it costs at all.
    var written =
        prices.nanos(
            target.provider(), target.model(), day, new Usage(0, 0, input, output, 0, false));
    return written == null ? plain : (Long) Math.max(plain, written);
  }

  private static long output(RequestHead head, String model) {
    var asked = head.maxTokens();
    long one = asked == null ? OutputLimits.of(model) : Math.clamp(asked, 0, MOST_TOKENS);
    return Math.min(MOST_TOKENS, one * Math.max(1, head.choices()));
  }
}
