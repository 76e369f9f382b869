package dev.mainstay.wire.translate;

import dev.mainstay.wire.money.Usage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The deltas of a whole answer put together: pieces of one kind that follow each other are one
 * piece, a call has its arguments.
 */
public final class GatheredDeltas {
  private Delta.@Nullable Start start;
  private @Nullable Usage usage;
  private final TreeMap<Integer, Choice> choices = new TreeMap<>();

  /**
   * A piece.
   *
   * @param delta the first of those that it is made of
   * @param text the text of them all; of a call its arguments
   */
  public record Piece(Delta delta, StringBuilder text) {}

  /** One of the answers that were asked for. Not thread-safe. */
  public static final class Choice {
    private final List<Piece> pieces = new ArrayList<>();
    private final List<Delta.Logprobs> logprobs = new ArrayList<>();
    private final Map<Integer, Piece> calls = new HashMap<>();
    private Delta.@Nullable Finished finished;

    /** All but log probabilities, in order. */
    public List<Piece> pieces() {
      return pieces;
    }

    public List<Delta.Logprobs> logprobs() {
      return logprobs;
    }

    /** How it ended, or null where nobody said. */
    public Delta.@Nullable Finished finished() {
      return finished;
    }

    /** Whether it has tool calls. */
    public boolean calls() {
      return !calls.isEmpty();
    }

    private void text(Delta delta, String text) {
      var last = pieces.isEmpty() ? null : pieces.getLast();
      if (last != null && last.delta.getClass() == delta.getClass()) {
        last.text.append(text);
      } else {
        pieces.add(new Piece(delta, new StringBuilder(text)));
      }
    }

    private void alone(Delta delta) {
      pieces.add(new Piece(delta, new StringBuilder()));
    }
  }

  private GatheredDeltas() {}

  public static GatheredDeltas of(List<Delta> deltas) {
    var gathered = new GatheredDeltas();
    deltas.forEach(gathered::add);
    return gathered;
  }

  public Delta.@Nullable Start start() {
    return start;
  }

  /** The tokens used, or null where nobody said. */
  public @Nullable Usage usage() {
    return usage;
  }

  /** By their number. */
  public TreeMap<Integer, Choice> choices() {
    return choices;
  }

  private Choice choice(int number) {
    return choices.computeIfAbsent(number, n -> new Choice());
  }

  private void add(Delta delta) {
    switch (delta) {
      case Delta.Start begin -> start = start == null ? begin : start;
      case Delta.Text more -> choice(more.choice()).text(more, more.text());
      case Delta.Refusal more -> choice(more.choice()).text(more, more.text());
      case Delta.Reasoning more -> choice(more.choice()).text(more, more.text());
      case Delta.ReasoningSeal seal -> choice(seal.choice()).alone(seal);
      case Delta.ToolCall call -> {
        var choice = choice(call.choice());
        choice.alone(call);
        choice.calls.put(call.call(), choice.pieces.getLast());
      }
      case Delta.Arguments more -> {
        var call = choice(more.choice()).calls.get(more.call());
        if (call != null) {
          call.text.append(more.json());
        }
      }
      case Delta.Citation citation -> choice(citation.choice()).alone(citation);
      case Delta.Logprobs logprobs -> choice(logprobs.choice()).logprobs.add(logprobs);
      case Delta.Media media -> choice(media.choice()).alone(media);
      case Delta.Native own -> choice(own.choice()).alone(own);
      case Delta.Finished finished -> choice(finished.choice()).finished = finished;
      case Delta.Used used -> usage = used.usage();
      case Delta.End end -> {}
    }
  }
}
