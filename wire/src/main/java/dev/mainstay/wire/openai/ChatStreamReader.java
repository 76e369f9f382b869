package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Finish;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A stream of OpenAI Chat chunks, also Mistral's and those of the many who copy the format. It has
 * ended when every choice that was begun has a {@code finish_reason} and {@code [DONE]} has come: a
 * relay that lost its upstream may well send {@code [DONE]} alone.
 */
public final class ChatStreamReader extends StreamReader {
  private final BitSet begun = new BitSet(1);
  private final BitSet finished = new BitSet(1);
  private boolean done;
  private @Nullable Usage usage;

  @Override
  protected boolean beforeJson(SseEvent event) {
    if (event.dataIs("[DONE]")) {
      done = true;
      brings(Part.ENDING);
      return true;
    }
    if (event.name().equals("error")) {
      brings(Part.ERROR);
      return true;
    }
    return false;
  }

  @Override
  protected void object(SseEvent event, JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "error" -> {
          if (walk.says()) {
            brings(Part.ERROR);
          }
        }
        case "object" -> {
          if (walk.is("error")) {
            brings(Part.ERROR);
          }
        }
        case "id" -> responseId(walk);
        case "model" -> model(walk);
        case "choices" -> {
          for (walk.array(); walk.element(); ) {
            choice(walk);
          }
        }
        case "usage" -> {
          if (walk.kind() == JsonWalk.Kind.OBJECT) {
            usage = OpenAiUsage.read(walk);
            countsEachTime();
            brings(Part.USAGE);
          }
        }
        default -> free(walk);
      }
    }
  }

  private void choice(JsonWalk walk) {
    int index = 0;
    String reason = null;
    boolean delta = false;
    brings(Part.PREAMBLE);
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "index" -> index = (int) Math.min(walk.count(), 1 << 16);
        case "finish_reason" -> {
          // Some send an empty one with every chunk.
          reason = walk.oftenString();
          reason = reason == null || reason.isEmpty() ? null : reason;
        }
        case "delta", "message" -> {
          delta = true;
          delta(walk);
        }
        case "text" -> content(Part.CONTENT, walk);
        default -> free(walk);
      }
    }
    if (reason != null) {
      finished.set(index);
      finish(reason);
      if (Finish.failed(reason)) {
        brings(Part.ERROR);
      }
    }
    if (delta || reason != null) {
      begun.set(index);
    }
  }

  private void delta(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "content" -> {
          if (walk.kind() == JsonWalk.Kind.ARRAY) {
            for (walk.array(); walk.element(); ) {
              block(walk);
            }
          } else {
            content(Part.CONTENT, walk);
          }
        }
        case "reasoning_content", "reasoning", "reasoning_details", "thinking" ->
            content(Part.REASONING, walk);
        case "refusal", "audio", "images" -> content(Part.CONTENT, walk);
        case "tool_calls" -> {
          for (walk.array(); walk.element(); ) {
            toolCall(walk);
          }
        }
        case "function_call" -> content(Part.TOOL_CALL, walk);
        default -> free(walk);
      }
    }
  }

  /** Mistral sends content as a list of blocks where there is thinking in it. */
  private void block(JsonWalk walk) {
    boolean thinking = false;
    boolean says = false;
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("type")) {
        thinking = walk.is("thinking");
      } else {
        says |= saysAnything(walk);
      }
    }
    if (says) {
      brings(thinking ? Part.REASONING : Part.CONTENT);
    }
  }

  private void toolCall(JsonWalk walk) {
    brings(Part.TOOL_CALL);
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("function") || walk.name().equals("custom")) {
        for (walk.object(); walk.field(); ) {
          content(Part.TOOL_CALL, walk);
        }
      }
    }
  }

  @Override
  public @Nullable Usage usage() {
    return usage;
  }

  @Override
  public boolean ended() {
    return done && !finished.isEmpty() && finished.cardinality() >= begun.cardinality();
  }
}
