package dev.mainstay.call.answer;

import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.settings.ToolCalls;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.wire.repair.AnswerRepair;
import dev.mainstay.wire.repair.CallRepair;
import dev.mainstay.wire.repair.JsonAnswer;
import dev.mainstay.wire.repair.OfferedTools;
import dev.mainstay.wire.repair.ToolCallCheck;
import dev.mainstay.wire.repair.TurnRepair;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.Replies;
import dev.mainstay.wire.translate.ReplyReader;
import dev.mainstay.wire.translate.ReplyWriter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a turn that has ended well can be handed over: its tool calls are among those offered and
 * can be read, its text is JSON where the request says so. What is certain is mended on the way.
 * The request is read for this only where there is something to judge. Belongs to the call's loop.
 */
public final class AnswerCheck {
  /** What becomes of bytes. */
  sealed interface Judged {}

  /** They go as they are. */
  record Unchanged() implements Judged {
    static final Unchanged INSTANCE = new Unchanged();
  }

  /** These go in their place. */
  @SuppressWarnings("ArrayRecordComponent") // written at once
  record Repaired(byte[] bytes) implements Judged {}

  record Rejected(ResponsePipeline.Flaw flaw) implements Judged {}

  /** What becomes of a turn in deltas. */
  sealed interface Turn {}

  record Accepted(List<Delta> deltas) implements Turn {}

  record Refused(ResponsePipeline.Flaw flaw) implements Turn {}

  private final CallRequest request;
  private final Consumer<String> mended;
  private final Supplier<ReplyWriter> writer;
  private @Nullable ToolCallCheck check;

  /**
   * @param mended told the name of each repair that was made
   * @param writer of answers in the client's dialect
   */
  public AnswerCheck(CallRequest request, Consumer<String> mended, Supplier<ReplyWriter> writer) {
    this.request = request;
    this.mended = mended;
    this.writer = writer;
  }

  /**
   * Judges the end of a stream in the client's dialect.
   *
   * @param given what the client has received; asked for where it matters
   * @param held what follows
   * @param toolSeen whether there are tool calls in it
   * @param untouched whether nothing of it was delivered, so that it can still be asked for again
   */
  Judged stream(Supplier<byte[]> given, byte[] held, boolean toolSeen, boolean untouched) {
    if (!toolSeen && !(untouched && (request.content().head().formatted() || leavesRefusals()))) {
      return Unchanged.INSTANCE;
    }
    try {
      var delivered = given.get();
      var reader = Replies.reader(request.content().dialect());
      var before = read(reader, delivered);
      var rest = read(reader, held);
      rest.addAll(reader.close());
      // With tool-calls: stream the calls themselves are in what was delivered.
      var turn = new ArrayList<>(before);
      turn.addAll(rest);
      return switch (turn(turn, untouched)) {
        case Refused refused -> new Rejected(refused.flaw());
        case Accepted accepted -> {
          if (accepted.deltas().equals(turn) && !holdsObjectArguments(turn, held)) {
            yield Unchanged.INSTANCE;
          }
          if (accepted.deltas().size() < before.size()
              || !accepted.deltas().subList(0, before.size()).equals(before)) {
            yield new Rejected(
                new ResponsePipeline.Flaw(
                    StreamEnding.BAD_TOOL_CALL,
                    "a tool call that was delivered already needed a repair"));
          }
          var anew = writer.get();
          if (!before.isEmpty()) {
            anew.resume(delivered);
          }
          var out = new ByteArrayOutputStream(held.length + 64);
          accepted
              .deltas()
              .subList(before.size(), accepted.deltas().size())
              .forEach(delta -> anew.write(delta, out));
          yield new Repaired(out.toByteArray());
        }
      };
    } catch (MalformedReplyException e) {
      return new Rejected(
          new ResponsePipeline.Flaw(StreamEnding.MALFORMED_EVENT, String.valueOf(e.getMessage())));
    }
  }

  public static List<Delta> read(ReplyReader reader, byte[] bytes) {
    var deltas = new ArrayList<Delta>();
    new SseScanner()
        .feed(
            bytes,
            0,
            bytes.length,
            event -> {
              deltas.addAll(reader.read(event));
              return true;
            });
    return deltas;
  }

  /** Judges a whole answer in the client's dialect. */
  Judged whole(byte[] body, Answer answer) {
    boolean callsTools = answer.finish() != null && TOOL_WORDS.contains(answer.finish());
    if (!request.content().operation().generates()
        || !(request.content().head().tools()
            || callsTools
            || request.content().head().formatted()
            || leavesRefusals())) {
      return Unchanged.INSTANCE;
    }
    try {
      var deltas = Replies.reader(request.content().dialect()).whole(body);
      return switch (turn(deltas, true)) {
        case Refused refused -> new Rejected(refused.flaw());
        case Accepted accepted ->
            accepted.deltas().equals(deltas) && !holdsObjectArguments(deltas, body)
                ? Unchanged.INSTANCE
                : new Repaired(
                    AnswerRepair.apply(request.content().dialect(), body, toolCheck()).body());
      };
    } catch (MalformedReplyException e) {
      // Read as an answer before: it has something that is not understood, so it goes as it is.
      return Unchanged.INSTANCE;
    }
  }

  /** Whether tool calls have arguments that the client's SDK cannot read, and may be mended. */
  private boolean holdsObjectArguments(List<Delta> turn, byte[] body) {
    boolean holds =
        turn.stream().anyMatch(Delta.ToolCall.class::isInstance)
            && AnswerRepair.mayHoldObjectArguments(request.content().dialect(), body)
            && toolCheck().repairs(CallRepair.TOOL_ARGUMENTS);
    if (holds) {
      mended.accept(CallRepair.TOOL_ARGUMENTS.label());
    }
    return holds;
  }

  private static final Set<String> TOOL_WORDS =
      Set.of("tool_calls", "function_call", "tool_use", "UNEXPECTED_TOOL_CALL");

  /** Judges a turn of which every delta has come. */
  Turn turn(List<Delta> deltas, boolean untouched) {
    if (untouched && leavesRefusals()) {
      for (var delta : deltas) {
        if (delta instanceof Delta.Finished(_, var ending, var word, _)
            && (ending == Delta.Ending.CONTENT_FILTER || ending == Delta.Ending.REFUSAL)) {
          return new Refused(
              new ResponsePipeline.Flaw(
                  StreamEnding.REFUSED, "The answer ended with " + word + "."));
        }
      }
    }
    var cut = cut(deltas);
    if (!cut.isEmpty()
        && deltas.stream().allMatch(d -> d.ofChoice() < 0 || cut.contains(d.ofChoice()))) {
      return new Accepted(deltas);
    }
    if (untouched
        && request.content().head().formatted()
        && request.plan().settings().policy().repairs().contains(RepairOption.SELF_CORRECT)) {
      var mistake = JsonAnswer.mistake(toolCheck().offered().format(), deltas);
      if (mistake.isPresent()) {
        return new Refused(new ResponsePipeline.Flaw(StreamEnding.NOT_JSON, mistake.get()));
      }
    }
    if (deltas.stream().noneMatch(Delta.ToolCall.class::isInstance)) {
      return new Accepted(deltas);
    }
    var judged = TurnRepair.apply(deltas, toolCheck(), cut);
    if (!judged.bad().isEmpty()) {
      return new Refused(
          new ResponsePipeline.Flaw(StreamEnding.BAD_TOOL_CALL, String.join(" ", judged.bad())));
    }
    judged.made().forEach(made -> mended.accept(made.label()));
    return new Accepted(judged.deltas());
  }

  /** Whether another target is asked where one refuses for the content. */
  private boolean leavesRefusals() {
    return request.plan().settings().policy().contentFilterFallback()
        && request.plan().route().size() > 1;
  }

  /**
   * The choices that were cut by the token limit or a filter: half a call or half a value is what
   * the client asked for, and their ending says so.
   */
  private static Set<Integer> cut(List<Delta> deltas) {
    var cut = new HashSet<Integer>(2);
    for (var delta : deltas) {
      if (delta instanceof Delta.Finished finished) {
        switch (finished.ending()) {
          case STOP, STOP_SEQUENCE, TOOL_CALLS, OTHER -> {}
          case LENGTH, CONTEXT, CONTENT_FILTER, REFUSAL, PAUSE -> cut.add(finished.choice());
        }
      }
    }
    return cut;
  }

  /** Whether a stream's tool calls reach the client before their turn has ended. */
  public boolean callsAreDeliveredAsTheyArrive() {
    return request.content().stream()
        && request.plan().settings().toolCalls() == ToolCalls.STREAM
        && request.plan().settings().policy().midStream() != MidStream.BUFFER;
  }

  public ToolCallCheck toolCheck() {
    var known = check;
    if (known == null) {
      var checked = EnumSet.noneOf(CallRepair.class);
      var policy = request.plan().settings().policy();
      if (policy.repairs().contains(RepairOption.TOOL_NAME)) {
        checked.add(CallRepair.TOOL_NAME);
      }
      if (policy.repairs().contains(RepairOption.TOOL_ARGUMENTS)) {
        checked.add(CallRepair.TOOL_ARGUMENTS);
      }
      known =
          new ToolCallCheck(
              OfferedTools.read(request.content().dialect(), request.content().body()),
              checked,
              // What has been delivered cannot be repaired.
              !callsAreDeliveredAsTheyArrive(),
              switch (request.plan().settings().toolSchemas()) {
                case STRICT -> ToolCallCheck.Fit.STRICT;
                case ALWAYS -> ToolCallCheck.Fit.ALWAYS;
              });
      check = known;
    }
    return known;
  }
}
