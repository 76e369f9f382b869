package dev.mainstay.call.answer;

import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.translate.Delta;
import org.jspecify.annotations.Nullable;

/** What a delta counts as for an answer that is being translated, and what it weighs. */
final class DeltaTraits {
  /** Bytes of a delta without its text: the record, its string, its place in a list. */
  private static final long DELTA = 96;

  private DeltaTraits() {}

  /** Whether it belongs to a tool call, which is held until it is whole. */
  static boolean isToolCall(Delta delta) {
    return delta instanceof Delta.ToolCall || delta instanceof Delta.Arguments;
  }

  /** Whether it comes after the content, of a choice or of all. */
  static boolean isTail(Delta delta) {
    return delta instanceof Delta.Finished
        || delta instanceof Delta.Used
        || delta instanceof Delta.End;
  }

  /** Whether an answer that has given it out is the answer. */
  static boolean commits(Delta delta) {
    return part(delta).commits();
  }

  /** What it is of an answer, in no dialect's words. */
  static Part part(Delta delta) {
    return switch (delta) {
      case Delta.Text _, Delta.Refusal _, Delta.Media _, Delta.Native _ -> Part.CONTENT;
      case Delta.Reasoning _ -> Part.REASONING;
      case Delta.ToolCall _, Delta.Arguments _ -> Part.TOOL_CALL;
      case Delta.Start _,
          Delta.ReasoningSeal _,
          Delta.Citation _,
          Delta.Logprobs _,
          Delta.Finished _,
          Delta.Used _,
          Delta.End _ ->
          Part.NOTHING;
    };
  }

  /** What it takes in memory, with what is written of it. */
  static long size(Delta delta) {
    long chars =
        switch (delta) {
          case Delta.Text text -> text.text().length();
          case Delta.Refusal refusal -> refusal.text().length();
          case Delta.Reasoning reasoning -> reasoning.text().length();
          case Delta.Arguments arguments -> arguments.json().length();
          case Delta.Media media -> media.base64().length();
          case Delta.ToolCall call -> call.name().length() + length(call.id());
          case Delta.Native own -> own.value().toString().length();
          case Delta.ReasoningSeal seal -> seal.value().toString().length();
          case Delta.Citation citation -> citation.value().toString().length();
          case Delta.Logprobs logprobs -> logprobs.value().toString().length();
          case Delta.Start start -> length(start.id()) + length(start.model());
          case Delta.Finished finished ->
              finished.word().length() + length(finished.stopSequence());
          case Delta.Used _, Delta.End _ -> 0;
        };
    return DELTA + ResponsePipeline.WEIGHT * chars;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
