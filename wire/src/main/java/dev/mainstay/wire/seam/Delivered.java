package dev.mainstay.wire.seam;

import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What of an answer the client has received, over all attempts of its call.
 *
 * @param text the text of the first choice; cut at {@link #MAX_TEXT}
 * @param tooLong whether there was more
 * @param reasoning whether any reasoning was delivered
 * @param unsealed whether reasoning was delivered whose signature was not
 * @param refusal whether the model had begun to refuse in words
 * @param toolCall whether a tool call was delivered, whole or in part
 * @param media whether an image or a sound was delivered
 * @param own what was delivered that only its own dialect has a word for, such as a built-in tool's
 *     call and result
 * @param logprobs whether log probabilities were delivered
 * @param choices how many choices anything was delivered of
 * @param finishes why choices ended, as delivered, one for each that did
 * @param ended whether the protocol's own ending was delivered
 * @param usage what the provider had told of tokens, or null
 */
public record Delivered(
    String text,
    boolean tooLong,
    boolean reasoning,
    boolean unsealed,
    boolean refusal,
    boolean toolCall,
    boolean media,
    List<Own> own,
    boolean logprobs,
    int choices,
    List<Delta.Finished> finishes,
    boolean ended,
    @Nullable Usage usage) {

  /**
   * The most characters (UTF-16) that are gone on from: 1,048,576, four times what the longest
   * answers of today's models come to (64,000 tokens).
   */
  public static final int MAX_TEXT = 1 << 20;

  /**
   * A part of the answer as its dialect writes it.
   *
   * @param at how much of the text came before it, in characters (UTF-16)
   */
  public record Own(int at, JsonNode value) {}

  public Delivered {
    own = List.copyOf(own);
    finishes = List.copyOf(finishes);
  }

  /** What {@code deltas} come to; they are every one that reached the client, in order. */
  public static Delivered of(List<Delta> deltas) {
    var gathering = new Gathering();
    deltas.forEach(gathering::take);
    return gathering.done();
  }

  /** Whether nothing of the answer's content was delivered, reasoning apart. */
  public boolean nothingButReasoning() {
    return text.isEmpty() && !refusal && !toolCall && !media && own.isEmpty();
  }

  /** Whether a built-in tool's call, or anything else of its dialect's own, was delivered. */
  public boolean builtIn() {
    return !own.isEmpty();
  }

  /** The bytes of {@link #text} in UTF-8. */
  public int textBytes() {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** The same where whoever delivered it puts the signature that is missing. */
  public Delivered sealed() {
    return new Delivered(
        text, tooLong, reasoning, false, refusal, toolCall, media, own, logprobs, choices, finishes,
        ended, usage);
  }

  private static final class Gathering {
    private final StringBuilder text = new StringBuilder();
    private final BitSet choices = new BitSet();
    private final TreeMap<Integer, Delta.Finished> finishes = new TreeMap<>();
    private boolean tooLong;
    private boolean reasoning;
    private boolean unsealed;
    private boolean refusal;
    private boolean toolCall;
    private boolean media;
    private final List<Own> own = new ArrayList<>(0);
    private boolean logprobs;
    private boolean ended;
    private @Nullable Usage usage;

    void take(Delta delta) {
      switch (delta) {
        case Delta.Text(int choice, String more) -> text(choice, more);
        case Delta.Refusal(int choice, String more) -> {
          choices.set(choice);
          refusal |= !more.isEmpty();
        }
        case Delta.Reasoning(int choice, String more) -> {
          choices.set(choice);
          reasoning |= !more.isEmpty();
          unsealed |= !more.isEmpty();
        }
        case Delta.ReasoningSeal seal -> {
          choices.set(seal.choice());
          reasoning = true;
          unsealed = false;
        }
        case Delta.ToolCall call -> {
          choices.set(call.choice());
          toolCall = true;
        }
        case Delta.Arguments arguments -> {
          choices.set(arguments.choice());
          toolCall = true;
        }
        case Delta.Logprobs some -> {
          choices.set(some.choice());
          logprobs = true;
        }
        case Delta.Media some -> {
          choices.set(some.choice());
          media = true;
        }
        case Delta.Native some -> {
          choices.set(some.choice());
          own.add(new Own(text.length(), some.value()));
        }
        case Delta.Finished finished -> {
          choices.set(finished.choice());
          finishes.put(finished.choice(), finished);
        }
        case Delta.Used(Usage told) -> usage = told;
        case Delta.End _ -> ended = true;
        case Delta.Start _, Delta.Citation _ -> {}
      }
    }

    private void text(int choice, String more) {
      choices.set(choice);
      if (choice != 0) {
        return;
      }
      int room = MAX_TEXT - text.length();
      tooLong |= more.length() > room;
      text.append(more, 0, Math.min(more.length(), room));
    }

    Delivered done() {
      return new Delivered(
          text.toString(),
          tooLong,
          reasoning,
          unsealed,
          refusal,
          toolCall,
          media,
          own,
          logprobs,
          choices.cardinality(),
          List.copyOf(finishes.values()),
          ended,
          usage);
    }
  }
}
