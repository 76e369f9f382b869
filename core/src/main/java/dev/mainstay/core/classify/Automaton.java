package dev.mainstay.core.classify;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds all phrases of all rules in one pass over a text: the automaton of Aho and Corasick
 * ("Efficient string matching: an aid to bibliographic search", CACM 18(6), 1975) over the
 * literals. Where literals branch, the failure links are folded into a full row over the classes of
 * characters; everywhere else there is one way on and one failure link, so that all of it stays in
 * the processor's cache (rows for all states were ten times as large, and four times as slow).
 *
 * <p>A state is the place of its cells times four, with two flags: so the way from one row to the
 * next is a single load. States lie in the order of their depth, the few that most texts stay in
 * side by side.
 *
 * <p>A phrase with gaps is followed by remembering how many of its literals have been seen and
 * where the last one ended. Taking the earliest occurrence of each literal is complete, because a
 * later one would only leave less text for the rest. Time is linear in the text times the number of
 * literals that end at one place, which is bounded by the longest chain of suffixes among them.
 *
 * <p>Immutable and thread-safe.
 */
final class Automaton {
  private static final int NO_WORD = 0;
  private static final int WORD_START = 1;
  private static final int WORD_END = 2;
  private static final int TEXT_START = 4;
  private static final int TEXT_END = 8;

  /** Flag of a state: literals end here, its own or those of a shorter suffix. */
  private static final int ENDS = 1;

  /** Flag of a state: there is a row, and not one way on alone. */
  private static final int ROW = 2;

  private static final int FLAGS = 2;

  /** Where the cells of the first state lie, behind its {@link #ends}. */
  private static final int ROOT = 1 << FLAGS | ROW;

  /** The cells of a state without a row: the class that leads on, or -1; where to; where else. */
  private static final int LONE = 3;

  private final int phrases;
  private final int gapped;
  private final int states;
  private final int classes;
  private final char[] classOf = new char[Character.MAX_VALUE + 1];

  /** Of each state its cells, and before them the number of its {@link #ends}. */
  private int[] cells;

  private final Slot[][] ends;

  /**
   * Where a literal stands: in which phrase, at which place; {@code gap} numbers those with gaps.
   */
  private record Slot(int phrase, int gap, int place, boolean last, int length, int border) {}

  Automaton(List<Phrase> all) {
    phrases = all.size();
    var trie = new Node();
    int gaps = 0;
    for (int p = 0; p < all.size(); p++) {
      var parts = all.get(p).parts();
      int gap = parts.size() > 1 ? gaps++ : -1;
      for (int k = 0; k < parts.size(); k++) {
        var part = parts.get(k);
        int border =
            (part.wordStart() ? WORD_START : NO_WORD)
                | (part.wordEnd() ? WORD_END : NO_WORD)
                | (part.textStart() ? TEXT_START : NO_WORD)
                | (part.textEnd() ? TEXT_END : NO_WORD);
        boolean last = k == parts.size() - 1;
        trie.add(part.literal(), new Slot(p, gap, k, last, part.literal().length(), border));
      }
    }
    gapped = gaps;
    classes = classes(all);
    cells = new int[64 * classes];
    var ended = new ArrayList<Slot[]>();
    states = link(trie, ended);
    ends = ended.toArray(Slot[][]::new);
  }

  /** A state while the trie is built and linked. */
  private static final class Node {
    final Map<Character, Node> edges = new HashMap<>(2);
    final List<Slot> ends = new ArrayList<>(0);
    int state = ROOT;
    int fail = ROOT;

    void add(String literal, Slot slot) {
      var node = this;
      for (int i = 0; i < literal.length(); i++) {
        node = node.edges.computeIfAbsent(literal.charAt(i), none -> new Node());
      }
      node.ends.add(slot);
    }

    boolean branches() {
      return edges.size() > 1;
    }
  }

  /** Numbers the letters of all literals, from 1, the most frequent first: they lie together. */
  private int classes(List<Phrase> all) {
    var often = new HashMap<Character, Integer>();
    for (var phrase : all) {
      for (var part : phrase.parts()) {
        part.literal().chars().forEach(c -> often.merge((char) c, 1, Integer::sum));
      }
    }
    var letters = new ArrayList<>(often.keySet());
    letters.sort(Comparator.comparing(often::get, Comparator.reverseOrder()));
    for (int i = 0; i < letters.size(); i++) {
      char letter = letters.get(i);
      classOf[letter] = (char) (i + 1);
      classOf[Character.toUpperCase(letter)] = classOf[letter];
    }
    return letters.size() + 1;
  }

  /** Gives the trie's states their cells, by depth, and answers how many states there are. */
  private int link(Node root, List<Slot[]> ended) {
    var queue = new ArrayDeque<>(List.of(root));
    int used = (ROOT >> FLAGS) + classes;
    int count = 0;
    while (!queue.isEmpty()) {
      var node = queue.remove();
      count++;
      int at = node.state >> FLAGS;
      boolean row = (node.state & ROW) != 0;
      if (!row) {
        cells[at] = -1;
        cells[at + 2] = node.fail;
      } else {
        for (int c = 0; c < classes; c++) {
          cells[at + c] = node == root ? ROOT : step(node.fail, c);
        }
      }
      for (var edge : node.edges.entrySet()) {
        var next = edge.getValue();
        int c = classOf[edge.getKey()];
        next.fail = node == root ? ROOT : step(node.fail, c);
        int end = ends(next, ended);
        next.state = used + 1 << FLAGS | (next.branches() ? ROW : 0) | (end >= 0 ? ENDS : 0);
        if (used + 1 + Math.max(classes, LONE) > cells.length) {
          cells = Arrays.copyOf(cells, 2 * cells.length);
        }
        cells[used] = end;
        used += 1 + (next.branches() ? classes : LONE);
        if (row) {
          cells[at + c] = next.state;
        } else {
          cells[at] = c;
          cells[at + 1] = next.state;
        }
        queue.add(next);
      }
    }
    cells = Arrays.copyOf(cells, used);
    return count;
  }

  /** The number under which what ends at {@code node} is found, or -1. */
  private int ends(Node node, List<Slot[]> ended) {
    int shorter = (node.fail & ENDS) == 0 ? -1 : cells[(node.fail >> FLAGS) - 1];
    if (node.ends.isEmpty()) {
      return shorter;
    }
    var all = new ArrayList<>(node.ends);
    if (shorter >= 0) {
      all.addAll(List.of(ended.get(shorter)));
    }
    ended.add(all.toArray(Slot[]::new));
    return ended.size() - 1;
  }

  private int step(int from, int c) {
    int state = from;
    while ((state & ROW) == 0) {
      int at = state >> FLAGS;
      if (cells[at] == c) {
        return cells[at + 1];
      }
      state = cells[at + 2];
    }
    return cells[(state >> FLAGS) + c];
  }

  /** The numbers of the phrases that occur in {@code text}. */
  BitSet match(String text) {
    var found = new BitSet(phrases);
    var gaps = new Gaps();
    int state = ROOT;
    for (int i = 0; i < text.length(); i++) {
      state = step(state, classOf[text.charAt(i)]);
      if ((state & ENDS) != 0) {
        for (var slot : ends[cells[(state >> FLAGS) - 1]]) {
          hit(slot, text, i + 1, gaps, found);
        }
      }
    }
    return found;
  }

  /** How far each phrase with gaps has come; only made for a text that begins one. */
  private final class Gaps {
    private int @Nullable [] seen;
    private int @Nullable [] lastEnd;

    boolean advance(Slot slot, int start, int end) {
      if (seen == null || lastEnd == null) {
        if (slot.place > 0) {
          return false;
        }
        seen = new int[gapped];
        lastEnd = new int[gapped];
        Arrays.fill(lastEnd, -1);
      }
      if (seen[slot.gap] != slot.place || start < lastEnd[slot.gap]) {
        return false;
      }
      seen[slot.gap]++;
      lastEnd[slot.gap] = end;
      return true;
    }
  }

  private static void hit(Slot slot, String text, int end, Gaps gaps, BitSet found) {
    int start = end - slot.length;
    if (slot.border != NO_WORD && !bordersHold(slot.border, text, start, end)) {
      return;
    }
    if (slot.gap < 0 || gaps.advance(slot, start, end) && slot.last) {
      found.set(slot.phrase);
    }
  }

  private static boolean bordersHold(int border, String text, int start, int end) {
    return ((border & WORD_START) == 0 || isBorder(text, start - 1))
        && ((border & WORD_END) == 0 || isBorder(text, end))
        && ((border & TEXT_START) == 0 || startsText(text, start))
        && ((border & TEXT_END) == 0 || endsText(text, end));
  }

  private static boolean startsText(String text, int start) {
    int i = start;
    while (i > 0 && (text.charAt(i - 1) == '"' || text.charAt(i - 1) == '\'')) {
      i--;
    }
    return i == 0
        || text.charAt(i - 1) == '\n'
        || i > 1 && text.charAt(i - 1) == ' ' && text.charAt(i - 2) == ':';
  }

  private static boolean endsText(String text, int end) {
    int i = end;
    while (i < text.length() && ".!\"'".indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    return i == text.length() || text.charAt(i) == '\n';
  }

  private static boolean isBorder(String text, int i) {
    if (i < 0 || i >= text.length()) {
      return true;
    }
    char c = text.charAt(i);
    if (c < 128) {
      return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9');
    }
    return !Character.isLetterOrDigit(c);
  }

  /** For messages: how large it is. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d phrases, %d states, %d classes, %d KiB",
        phrases,
        states,
        classes,
        cells.length / 256);
  }
}
