package dev.mainstay.wire.continuation;

import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What of an answer the client has received, over all attempts of its call.
 *
 * @param text the text of the first choice; cut at {@link #MAX_TEXT}
 * @param tooLong whether there was more
 * @param contents what was delivered beside text
 * @param own what was delivered that only its own dialect has a word for, such as a built-in tool's
 *     call and result
 * @param choices how many choices anything was delivered of
 * @param finishes why choices ended, as delivered, one for each that did
 * @param ended whether the protocol's own ending was delivered
 * @param usage what the provider had told of tokens, or null
 */
public record Delivered(
    String text,
    boolean tooLong,
    Set<Content> contents,
    List<Own> own,
    int choices,
    List<Delta.Finished> finishes,
    boolean ended,
    @Nullable Usage usage) {

  /**
   * The most characters (UTF-16) that are gone on from: 1,048,576, four times what the longest
   * answers of today's models come to (64,000 tokens).
   */
  public static final int MAX_TEXT = 1 << 20;

  /** What an answer holds beside text. */
  public enum Content {
    /** Reasoning. */
    REASONING,
    /** Reasoning whose signature has not come. */
    UNSEALED_REASONING,
    /** The beginning of a refusal in words. */
    REFUSAL,
    /** A tool call, whole or in part. */
    TOOL_CALL,
    /** An image or a sound. */
    MEDIA,
    /** Log probabilities. */
    LOGPROBS
  }

  /**
   * A part of the answer as its dialect writes it.
   *
   * @param at how much of the text came before it, in characters (UTF-16)
   */
  public record Own(int at, JsonNode value) {}

  public Delivered {
    contents = Set.copyOf(contents);
    own = List.copyOf(own);
    finishes = List.copyOf(finishes);
  }

  /** What {@code deltas} come to; they are every one that reached the client, in order. */
  public static Delivered of(List<Delta> deltas) {
    var gathering = new Gathering();
    deltas.forEach(gathering::take);
    return gathering.done();
  }

  /** Whether {@code content} was delivered. */
  public boolean has(Content content) {
    return contents.contains(content);
  }

  /** Whether nothing of the answer's content was delivered, reasoning apart. */
  public boolean nothingButReasoning() {
    return text.isEmpty()
        && !has(Content.REFUSAL)
        && !has(Content.TOOL_CALL)
        && !has(Content.MEDIA)
        && own.isEmpty();
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
    var others = EnumSet.noneOf(Content.class);
    others.addAll(contents);
    others.remove(Content.UNSEALED_REASONING);
    return new Delivered(text, tooLong, others, own, choices, finishes, ended, usage);
  }

  private static final class Gathering {
    private final StringBuilder text = new StringBuilder();
    private final BitSet choices = new BitSet();
    private final TreeMap<Integer, Delta.Finished> finishes = new TreeMap<>();
    private boolean tooLong;
    private final Set<Content> contents = EnumSet.noneOf(Content.class);
    private final List<Own> own = new ArrayList<>(0);
    private boolean ended;
    private @Nullable Usage usage;

    void take(Delta delta) {
      switch (delta) {
        case Delta.Text(int choice, String more) -> text(choice, more);
        case Delta.Refusal(int choice, String more) -> {
          choices.set(choice);
          if (!more.isEmpty()) {
            contents.add(Content.REFUSAL);
          }
        }
        case Delta.Reasoning(int choice, String more) -> {
          choices.set(choice);
          if (!more.isEmpty()) {
            contents.add(Content.REASONING);
            contents.add(Content.UNSEALED_REASONING);
          }
        }
        case Delta.ReasoningSeal seal -> {
          choices.set(seal.choice());
          contents.add(Content.REASONING);
          contents.remove(Content.UNSEALED_REASONING);
        }
        case Delta.ToolCall call -> {
          choices.set(call.choice());
          contents.add(Content.TOOL_CALL);
        }
        case Delta.Arguments arguments -> {
          choices.set(arguments.choice());
          contents.add(Content.TOOL_CALL);
        }
        case Delta.Logprobs some -> {
          choices.set(some.choice());
          contents.add(Content.LOGPROBS);
        }
        case Delta.Media some -> {
          choices.set(some.choice());
          contents.add(Content.MEDIA);
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
          contents,
          own,
          choices.cardinality(),
          List.copyOf(finishes.values()),
          ended,
          usage);
    }
  }
}
