package dev.mainstay.call.answer;

import dev.mainstay.call.api.CallMemory;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.ReplyReader;
import org.jspecify.annotations.Nullable;

/**
 * Follows the tool calls of a stream that are handed over as they arrive, and judges each when the
 * next one begins; the last is judged with the turn. Belongs to the call's loop.
 */
public final class StreamedCallCheck {
  private final ReplyReader reader;
  private final AnswerCheck check;
  private final MemoryBudget.Reservation memory;
  private final StringBuilder arguments = new StringBuilder();
  private Delta.@Nullable ToolCall open;

  public StreamedCallCheck(ReplyReader reader, AnswerCheck check, MemoryBudget.Reservation memory) {
    this.memory = memory;
    this.reader = reader;
    this.check = check;
  }

  /** Takes an event before it is handed over; not null where a call before it cannot stand. */
  ResponsePipeline.@Nullable Flaw event(SseEvent event) {
    try {
      for (var delta : reader.read(event)) {
        switch (delta) {
          case Delta.ToolCall call -> {
            var flaw = judged();
            open = call;
            arguments.setLength(0);
            memory.set(0);
            if (flaw != null) {
              return flaw;
            }
          }
          case Delta.Arguments more when isOpen(more) -> {
            CallMemory.hold(memory, 3L * more.json().length());
            arguments.append(more.json());
          }
          default -> {}
        }
      }
      return null;
    } catch (MalformedReplyException e) {
      // What is not understood is no tool call; the reader of the stream has found it readable.
      return null;
    }
  }

  private boolean isOpen(Delta.Arguments more) {
    return open != null && open.choice() == more.choice() && open.call() == more.call();
  }

  private ResponsePipeline.@Nullable Flaw judged() {
    var call = open;
    return call != null
            // A custom call's input is any text, and may go on while the next call comes.
            && !call.custom()
            && check.toolCheck().check(call.name(), arguments.toString())
                instanceof Result.Bad(var reason)
        ? new ResponsePipeline.Flaw(StreamEnding.BAD_TOOL_CALL, reason)
        : null;
  }
}
