package dev.mainstay.call;

import dev.mainstay.call.answer.AnswerCheck;
import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.answer.StreamedCallCheck;
import dev.mainstay.call.answer.TranslatingPipeline;
import dev.mainstay.call.answer.VerbatimPipeline;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.request.Continuation;
import dev.mainstay.call.request.RequestBodies;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Replies;
import dev.mainstay.wire.translate.ReplyWriter;
import dev.mainstay.wire.translate.WriterOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses the pipeline of each attempt of a call. Belongs to the call's loop. */
final class ResponsePipelines {
  private final CallRequest request;
  private final Relay relay;
  private final CallRecorder recorder;
  private final CallMemory memory;
  private final AnswerCheck check;

  ResponsePipelines(CallRequest request, Relay relay, CallRecorder recorder, CallMemory memory) {
    this.memory = memory;
    this.request = request;
    this.relay = relay;
    this.recorder = recorder;
    check = new AnswerCheck(request, recorder::mended, this::writer);
  }

  ResponsePipeline of(RequestBodies.Ready asked, @Nullable Continuation continuation) {
    if (continuation == null && !asked.crosses()) {
      return new VerbatimPipeline(
          relay,
          request.plan().settings(),
          check,
          request.content().head().tools() && check.callsAreDeliveredAsTheyArrive()
              ? new StreamedCallCheck(
                  Replies.reader(request.content().dialect()), check, memory.part())
              : null,
          () -> translating(asked, null),
          asked.asksForUsage() && !Boolean.TRUE.equals(request.content().head().includeUsage()),
          memory.part());
    }
    return translating(asked, continuation);
  }

  private TranslatingPipeline translating(
      RequestBodies.Ready asked, @Nullable Continuation continuation) {
    var writer = writer();
    if (continuation != null) {
      writer.resume(relay.bytes());
    }
    return new TranslatingPipeline(
        relay,
        request.plan().settings(),
        check,
        Replies.reader(asked.dialect()),
        writer,
        continuation == null || asked.manner() == null ? null : continuation.rest(asked.manner()),
        recorder::degraded,
        memory.part(),
        request.content().dialect() == Dialect.OPENAI_RESPONSES ? memory.part() : null);
  }

  /** Answers crossing dialects show the model that answered, as those that do not cross do. */
  private ReplyWriter writer() {
    return Replies.writer(
        request.content().dialect(),
        new WriterOptions(
            null,
            Boolean.TRUE.equals(request.content().head().includeUsage()),
            recorder.id(),
            recorder.startedAt().getEpochSecond(),
            request.content().head().tools() ? check.toolCheck().offered().custom() : Set.of()));
  }
}
