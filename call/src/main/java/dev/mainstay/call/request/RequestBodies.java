package dev.mainstay.call.request;

import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.LearnedQuirks;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.SplicedBytes;
import dev.mainstay.wire.repair.Corrections;
import dev.mainstay.wire.repair.EditedRequest;
import dev.mainstay.wire.repair.HistoryRepair;
import dev.mainstay.wire.repair.ImageRepair;
import dev.mainstay.wire.repair.ModelQuirks;
import dev.mainstay.wire.repair.Quirk;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestEdit;
import dev.mainstay.wire.request.RequestEdit.StreamUsage;
import dev.mainstay.wire.request.RequestReader;
import dev.mainstay.wire.translate.ForeignReasoningFilter;
import dev.mainstay.wire.translate.Requests;
import dev.mainstay.wire.translate.TranslationException;
import dev.mainstay.wire.translate.UntranslatableException;
import dev.mainstay.wire.translate.request.Feature;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The request's body as each target gets it: the client's own bytes where they can pass, else
 * translated; with the repairs that were made, and with what was delivered where an answer is gone
 * on with. Belongs to the call's loop.
 */
public final class RequestBodies {
  /** A body of up to so many bytes is sent in one piece. */
  private static final int ONE_PIECE = 4096;

  /** What a target is asked, or that it cannot be. */
  public sealed interface Prepared {}

  /**
   * @param operation what is asked for there
   * @param dialect the body's
   * @param crosses whether it is another than the client's, so that the answer is translated back
   * @param asksForUsage whether a chat stream's usage is asked for, by the client or by us
   * @param degraded what the dialect could not say and was left out
   */
  public record Ready(
      TargetId target,
      Operation operation,
      Dialect dialect,
      SplicedBytes body,
      boolean crosses,
      boolean asksForUsage,
      Set<String> degraded,
      Continuation.@Nullable Plan manner)
      implements Prepared {

    /** The body as it is sent: a long one in its pieces, since a short one is sooner copied. */
    public ByteBuf buffer() {
      if (body.length() <= ONE_PIECE) {
        return Unpooled.wrappedBuffer(body.bytes());
      }
      var pieces = new ArrayList<ByteBuf>(5);
      body.pieces((piece, from, to) -> pieces.add(Unpooled.wrappedBuffer(piece, from, to - from)));
      return Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new));
    }
  }

  /** The target's dialect cannot say what the request says. */
  public record Unsayable(String why) implements Prepared {}

  private record Base(byte[] body, Set<String> degraded) {}

  private final CallRequest request;
  private final LearnedQuirks learned;

  /** The client's own body with its repairs. */
  private byte[] own;

  /** What the model is told of its last answer; empty where there is nothing to tell. */
  private List<String> mistakes = List.of();

  private boolean imagesProbed;

  /** What repairs took out of {@link #own}. */
  private Set<String> lost = Set.of();

  /** Translated bodies with their repairs, by the target's place in the route. */
  private final Map<Integer, Base> translated = new HashMap<>(2);

  public RequestBodies(CallRequest request, LearnedQuirks learned) {
    this.request = request;
    this.learned = learned;
    own = request.content().body();
  }

  public Prepared of(int index, ProviderSpec spec, @Nullable Continuation continuation) {
    var target = request.plan().route().target(index);
    var operation = request.content().operation().at(spec.api());
    if (operation == null) {
      return new Unsayable(
          spec.api().label() + " providers offer nothing like " + request.origin().path());
    }
    var dialect = operation.dialectAt(spec.api());
    boolean crosses = operation != request.content().operation() || crosses(dialect);
    Base base;
    try {
      base = crosses ? translated(index, target, dialect) : ownBase();
    } catch (TranslationException e) {
      return new Unsayable(String.valueOf(e.getMessage()));
    }
    var known = known(base, dialect, target);
    var body = known.body();
    if (!mistakes.isEmpty() && continuation == null) {
      body = Corrections.ask(dialect, body, mistakes).orElse(body);
    }
    Continuation.Plan manner = null;
    if (continuation != null) {
      manner = continuation.manner(Continuation.destination(spec, dialect, target.model()), body);
      if (manner == null) {
        return new Unsayable("Mainstay tried every way to continue the answer at " + target);
      }
      body = manner.asked() == null ? body : manner.asked().body();
    }
    boolean asks =
        operation == Operation.CHAT && request.content().stream() && HeaderRules.takesUsage(spec);
    var usage =
        dialect == Dialect.MISTRAL
            ? StreamUsage.NO_OPTIONS
            : asks ? StreamUsage.ASKED : StreamUsage.AS_IT_IS;
    return new Ready(
        target,
        operation,
        dialect,
        edited(body, operation, target.model(), usage),
        crosses,
        asks,
        both(base.degraded(), known.lost()),
        manner);
  }

  /**
   * Mistral's dialect is a variant of OpenAI's with the same paths. A client that names neither in
   * its user agent may speak either, so its words go to both as they are.
   */
  private boolean crosses(Dialect dialect) {
    if (!request.content().operation().generates()) {
      return false;
    }
    return switch (dialect) {
      case MISTRAL ->
          request.content().dialect() == Dialect.OPENAI_CHAT && request.content().openAiSdk();
      case OPENAI_CHAT -> request.content().dialect() == Dialect.MISTRAL;
      case OPENAI_RESPONSES, ANTHROPIC, GEMINI -> false;
    };
  }

  @SuppressWarnings("ReferenceEquality") // untouched, so what was read of it still holds
  private SplicedBytes edited(byte[] body, Operation operation, String model, StreamUsage usage) {
    if (body == request.content().body()) {
      return RequestEdit.apply(body, request.content().head(), model, usage);
    }
    try {
      return RequestEdit.apply(body, RequestReader.read(operation, body), model, usage);
    } catch (MalformedRequest e) {
      throw new IllegalStateException("a body that was written here cannot be read", e);
    }
  }

  private Base translated(int index, TargetId target, Dialect dialect) {
    var known = translated.get(index);
    if (known == null) {
      known = translated(target, dialect);
      translated.put(index, known);
    }
    return known;
  }

  /** A result without its call is taken out where the target wants to know whose it is. */
  private Base translated(TargetId target, Dialect dialect) {
    try {
      return translated(own, lost, target, dialect);
    } catch (UntranslatableException e) {
      var results = Feature.TOOL_RESULTS.label();
      if (!e.name().equals(results)
          || !request.plan().settings().policy().repairs().contains(RepairOption.TOOL_HISTORY)) {
        throw e;
      }
      var paired = HistoryRepair.mend(request.content().dialect(), own).orElseThrow(() -> e);
      return translated(paired.body(), both(lost, Set.of(results)), target, dialect);
    }
  }

  private Base translated(byte[] body, Set<String> left, TargetId target, Dialect dialect) {
    var made =
        Requests.translate(
            body,
            request.content().dialect(),
            dialect,
            target.model(),
            request.content().stream(),
            request.plan().settings().onLoss());
    return new Base(made.body(), both(left, made.degraded()));
  }

  /** Makes {@code repair} to what was asked of the target that failed. */
  public Outcome mend(Repair repair, int index, @Nullable Failure failure, @Nullable Ready asked) {
    var base = asked == null ? null : asked.crosses() ? translated.get(index) : ownBase();
    if (asked == null || base == null || failure == null) {
      return new Outcome.RepairImpossible(repair, "nothing was asked yet");
    }
    if (repair == Repair.SELF_CORRECT) {
      var told = mistakes(failure);
      if (Corrections.ask(asked.dialect(), base.body(), told).isEmpty()) {
        return new Outcome.RepairImpossible(
            repair, "Mainstay cannot add a correction to this request");
      }
      mistakes = told;
      return Outcome.Repaired.changed(repair);
    }
    // What was sent, rather than what it was made from: the error is about that.
    var edited =
        RequestRepairs.of(
                repair,
                asked.dialect(),
                known(base, asked.dialect(), asked.target()).body(),
                failure)
            .orElse(null);
    if (edited == null) {
      return new Outcome.RepairImpossible(
          repair, "this repair finds nothing to change in the request");
    }
    if (edited.learned() != null) {
      // Of this target alone: the next one gets what the client asked for.
      learned.quirks().learn(asked.target().toString(), edited.learned());
    } else {
      keep(
          index,
          asked,
          base,
          RequestRepairs.of(repair, asked.dialect(), base.body(), failure).orElse(edited));
    }
    return new Outcome.Repaired(repair, edited.before(), edited.after());
  }

  private void keep(int index, Ready asked, Base base, EditedRequest edited) {
    if (asked.crosses()) {
      translated.put(index, new Base(edited.body(), both(base.degraded(), edited.lost())));
    } else {
      own = edited.body();
      lost = both(lost, edited.lost());
      translated.clear(); // made from the unrepaired one
    }
  }

  private static Set<String> both(Set<String> some, Set<String> more) {
    if (more.isEmpty()) {
      return some;
    }
    var all = new TreeSet<>(some);
    all.addAll(more);
    return all;
  }

  /** Whether {@code asked} has images, and no attempt without them was tried before. */
  boolean triesWithoutImages(Ready asked) {
    boolean tries = !imagesProbed && ImageRepair.count(asked.dialect(), asked.body().bytes()) > 0;
    imagesProbed |= tries;
    return tries;
  }

  /** As the target is known to take it, as far as the repairs that taught it are allowed here. */
  private ModelQuirks.Applied known(Base base, Dialect dialect, TargetId target) {
    var repairs = request.plan().settings().policy().repairs();
    return learned
        .quirks()
        .applied(
            base.body(),
            dialect,
            target.toString(),
            quirk ->
                repairs.contains(
                    quirk instanceof Quirk.MaxTokens
                        ? RepairOption.LOWER_MAX_TOKENS
                        : RepairOption.DROP_PARAMETER));
  }

  /** The client's own, but for reasoning that another dialect's answer left in the conversation. */
  private Base ownBase() {
    return new Base(
        request.content().operation().generates()
            ? ForeignReasoningFilter.without(request.content().dialect(), own)
            : own,
        lost);
  }

  /** What the model is told of its answer. */
  private static List<String> mistakes(Failure failure) {
    return failure instanceof Failure.Stream stream
            && stream.event() != null
            && (stream.ending() == StreamEnding.BAD_TOOL_CALL
                || stream.ending() == StreamEnding.NOT_JSON)
        ? List.of(stream.event())
        : List.of("It could not be used.");
  }

  /** {@code model} as it stands in a URL's path. */
  public static String pathSegment(String model) {
    return URLEncoder.encode(model, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
