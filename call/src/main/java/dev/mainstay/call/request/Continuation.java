package dev.mainstay.call.request;

import dev.mainstay.call.answer.AnswerCheck;
import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.answer.TranslatingPipeline;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.LearnedQuirks;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.continuation.Aligner;
import dev.mainstay.wire.continuation.Continuable;
import dev.mainstay.wire.continuation.ContinuationRequest;
import dev.mainstay.wire.continuation.Delivered;
import dev.mainstay.wire.continuation.Destination;
import dev.mainstay.wire.continuation.Mode;
import dev.mainstay.wire.continuation.PrefillTable;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.Replies;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An answer that broke after its commit point, on its way to being finished: what the client has of
 * it, whether it may be gone on with, and how each target is asked for the rest. One per call, from
 * its first broken stream on. Belongs to the call's loop.
 */
public final class Continuation {
  /**
   * How a target is asked.
   *
   * @param asked null where nothing but reasoning was delivered: the same request again
   */
  record Plan(Destination destination, @Nullable ContinuationRequest asked) {}

  private final CallRequest request;
  private final PrefillTable prefills;
  private final Map<Destination, Set<Mode>> tried = new HashMap<>(2);

  private Delivered delivered = Delivered.of(List.of());
  private @Nullable String why;
  private boolean first = true;

  /** Reasoning comes from the first attempt alone; of another dialect's we write the signature. */
  private boolean translated;

  private @Nullable Usage usedBefore;
  private @Nullable Plan refusedPrefill;

  public Continuation(CallRequest request, LearnedQuirks learned) {
    this.request = request;
    prefills = learned.prefills();
  }

  /**
   * Another attempt broke.
   *
   * @param asked what its target was asked
   * @param spec of its provider
   * @param used what all attempts so far have used
   */
  public void broke(
      Relay relay, RequestBodies.Ready asked, @Nullable ProviderSpec spec, @Nullable Usage used) {
    usedBefore = used;
    why = null;
    if (first) {
      first = false;
      translated = asked.crosses();
      if (!translated && spec != null) {
        // As the target sent it.
        prefills.answered(
            destination(spec, asked.dialect(), asked.target().model()), relay.bytes());
      }
    }
    if (!relay.remembered()) {
      why = "the client had received more than the 4 MiB that this gateway remembers";
      return;
    }
    try {
      var reader = Replies.reader(request.content().dialect());
      delivered = Delivered.of(AnswerCheck.read(reader, relay.bytes()));
      if (translated) {
        delivered = delivered.sealed();
      }
      why =
          switch (Continuable.judge(
              request.content().body(), request.content().dialect(), delivered)) {
            case Continuable.No no -> no.reason();
            case Continuable.Complete _ -> null;
            case Continuable.Yes _
                when reader.close().stream().anyMatch(Delta.Text.class::isInstance) ->
                "Half of a character had reached the client.";
            case Continuable.Yes _, Continuable.Restart _ ->
                runsTool(relay.bytes())
                    ? "A call of a built-in tool had reached the client without its result."
                    : null;
          };
    } catch (MalformedReplyException | IllegalArgumentException e) {
      why = "Mainstay cannot read back what the client had received";
    }
  }

  /** Whether what the client has ends within a call of the provider's own tools. */
  private boolean runsTool(byte[] bytes) {
    var reader = Readers.stream(request.content().dialect());
    new SseScanner().feed(bytes, 0, bytes.length, event -> reader.read(event) != null);
    return reader.runsTool();
  }

  /** Whether another attempt may finish the answer. */
  public boolean possible() {
    return why == null;
  }

  /** Why not, in a sentence. */
  public String why() {
    return String.valueOf(why);
  }

  /** How {@code destination} is asked, or null where every way was tried. */
  @Nullable Plan manner(Destination destination, byte[] body) {
    if (delivered.nothingButReasoning()) {
      return new Plan(destination, null);
    }
    if (delivered.builtIn() && destination.dialect() != request.content().dialect()) {
      // What its provider's own tools had found, no other dialect has words for.
      return null;
    }
    var mode =
        prefills.mode(
            destination, delivered, tried.getOrDefault(destination, EnumSet.noneOf(Mode.class)));
    return mode == null
        ? null
        : new Plan(
            destination,
            ContinuationRequest.of(
                body, destination.dialect(), delivered, mode, prefills.of(destination)));
  }

  /** An attempt that was asked in this way failed. */
  public void failed(Failure failure, RequestBodies.Ready asked) {
    refusedPrefill = null;
    var manner = asked.manner();
    if (manner != null
        && failure instanceof Failure.Stream stream
        && stream.ending() == StreamEnding.DIVERGED) {
      tried(manner);
    }
  }

  /**
   * Whether {@code manner} began the answer for the model. The target refused that: it is asked in
   * another way next.
   */
  boolean beganTheAnswer(@Nullable Plan manner) {
    boolean began =
        manner != null && manner.asked() != null && manner.asked().mode() == Mode.PREFILL;
    refusedPrefill = began ? manner : null;
    return began;
  }

  /** Asks in another way where a prefill was refused; false where {@code repair} is another. */
  public boolean correct(Repair repair, @Nullable Failure failure) {
    var manner = refusedPrefill;
    if (manner == null || repair != Repair.DROP_PARAMETER) {
      return false;
    }
    refusedPrefill = null;
    tried(manner);
    if (failure instanceof Failure.Reply reply && reply.status() != null) {
      prefills.refused(manner.destination(), reply.status(), ErrorMapper.words(failure));
    }
    return true;
  }

  private void tried(Plan manner) {
    if (manner.asked() != null) {
      tried
          .computeIfAbsent(manner.destination(), _ -> EnumSet.noneOf(Mode.class))
          .add(manner.asked().mode());
    }
  }

  static Destination destination(ProviderSpec spec, Dialect dialect, String model) {
    return new Destination(spec.api(), dialect, spec.options().baseUrl().toString(), model);
  }

  /** What takes the delivered part out of the attempt's answer that was asked for so. */
  public TranslatingPipeline.Rest rest(Plan manner) {
    var asked = manner.asked();
    return new Rest(asked == null ? null : Aligner.of(delivered, asked), usedBefore);
  }

  /** Lets text through the aligner, and keeps back what was delivered before the text. */
  private static final class Rest implements TranslatingPipeline.Rest {
    private final @Nullable Aligner aligner;
    private final @Nullable Usage usedBefore;

    Rest(@Nullable Aligner aligner, @Nullable Usage usedBefore) {
      this.aligner = aligner;
      this.usedBefore = usedBefore;
    }

    @Override
    public TranslatingPipeline.Step take(Delta delta) {
      return switch (delta) {
        case Delta.Text text when aligner != null && text.choice() == 0 ->
            step(aligner.feed(text.text()));
        // The client has had its reasoning; log probabilities would not be one answer's.
        case Delta.Reasoning _, Delta.ReasoningSeal _, Delta.Logprobs _, Delta.Start _ ->
            TranslatingPipeline.Step.NOTHING;
        default -> new TranslatingPipeline.Step(List.of(delta), null);
      };
    }

    @Override
    public TranslatingPipeline.Step end(boolean cutOff) {
      return aligner == null ? TranslatingPipeline.Step.NOTHING : step(aligner.finish(cutOff));
    }

    private static TranslatingPipeline.Step step(Aligner.Piece piece) {
      List<Delta> deltas =
          piece.text().isEmpty() ? List.of() : List.of(new Delta.Text(0, piece.text()));
      return new TranslatingPipeline.Step(
          deltas,
          piece.refused() == null
              ? null
              : new ResponsePipeline.Flaw(
                  StreamEnding.DIVERGED,
                  switch (piece.refused()) {
                    case DIVERGED -> "the provider began a different answer";
                    case AMBIGUOUS ->
                        "the provider may have begun a new answer or continued the old one";
                    case BROKEN_JSON -> "the answer does not go on with the JSON that was begun";
                  }));
    }

    @Override
    public String seam() {
      if (aligner == null) {
        return "after reasoning alone, begun anew";
      }
      var seam = aligner.seam();
      return "seam=" + seam.certainty().label() + " swallowed=" + seam.swallowed();
    }

    @Override
    public @Nullable Usage usedBefore() {
      return usedBefore;
    }
  }
}
