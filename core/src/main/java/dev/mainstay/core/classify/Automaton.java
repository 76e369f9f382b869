package dev.mainstay.core.classify;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
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
 * the processor's cache (rows for all states were 29 MB for 2,500 phrases, and four times as slow).
 * States are numbered by depth, so that the few that most texts stay in lie side by side.
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

  private final int phrases;
  private final int gapped;
  private final int classes;
  private final char[] classOf = new char[Character.MAX_VALUE + 1];

  /** For each state the start of its row in {@link #rows}, or -1. */
  private final int[] row;

  private int[] rows;

  /** For a state without a row: the class that leads on, or -1, and where to. */
  private final int[] edge;

  private final int[] edgeTo;
  private final int[] fail;
  private final int[][] ends;

  /**
   * For each state the nearest one at its own place or behind a shorter suffix that ends a literal.
   */
  private final int[] firstEnd;

  private final int[] nextEnd;
  private final Slot[] slots;

  /**
   * Where a literal stands: in which phrase, at which place; {@code gap} numbers those with gaps.
   */
  private record Slot(int phrase, int gap, int place, boolean last, int length, int border) {}

  Automaton(List<Phrase> all) {
    phrases = all.size();
    var trie = new Trie();
    var list = new ArrayList<Slot>();
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
        trie.add(part.literal(), list.size());
        list.add(new Slot(p, gap, k, k == parts.size() - 1, part.literal().length(), border));
      }
    }
    gapped = gaps;
    slots = list.toArray(Slot[]::new);
    classes = classes(all);
    row = new int[trie.states.size()];
    rows = new int[64 * classes];
    edge = new int[trie.states.size()];
    edgeTo = new int[trie.states.size()];
    fail = new int[trie.states.size()];
    firstEnd = new int[trie.states.size()];
    nextEnd = new int[trie.states.size()];
    ends = new int[trie.states.size()][];
    link(trie);
  }

  /** A trie while it is built. */
  private static final class Trie {
    final List<Map<Character, Integer>> states = new ArrayList<>(List.of(new HashMap<>()));
    final List<List<Integer>> ends = new ArrayList<>(List.of(new ArrayList<>()));

    void add(String literal, int slot) {
      int state = 0;
      for (int i = 0; i < literal.length(); i++) {
        var edges = states.get(state);
        var to = edges.get(literal.charAt(i));
        if (to == null) {
          to = states.size();
          edges.put(literal.charAt(i), to);
          states.add(new HashMap<>(2));
          ends.add(new ArrayList<>(1));
        }
        state = to;
      }
      ends.get(state).add(slot);
    }
  }

  private int classes(List<Phrase> all) {
    int count = 1;
    for (var phrase : all) {
      for (var part : phrase.parts()) {
        for (int i = 0; i < part.literal().length(); i++) {
          char c = part.literal().charAt(i);
          if (classOf[c] == 0) {
            classOf[c] = (char) count++;
            char upper = Character.toUpperCase(c);
            classOf[upper] = classOf[c];
          }
        }
      }
    }
    return count;
  }

  /** Numbers the trie's states by depth and links them. */
  private void link(Trie trie) {
    int[] number = new int[trie.states.size()];
    var queue = new ArrayDeque<Integer>();
    queue.add(0);
    int count = 1;
    int used = 0;
    while (!queue.isEmpty()) {
      int old = queue.remove();
      int state = number[old];
      int back = fail[state];
      var edges = trie.states.get(old);
      ends[state] = trie.ends.get(old).stream().mapToInt(Integer::intValue).toArray();
      nextEnd[state] = state == 0 ? 0 : firstEnd[back];
      firstEnd[state] = ends[state].length > 0 ? state : nextEnd[state];
      boolean branches = state == 0 || edges.size() > 1;
      row[state] = branches ? used : -1;
      edge[state] = -1;
      if (branches) {
        used += classes;
        rows = used > rows.length ? Arrays.copyOf(rows, 2 * rows.length) : rows;
        for (int c = 1; state != 0 && c < classes; c++) {
          rows[row[state] + c] = step(back, c);
        }
      }
      for (var entry : edges.entrySet()) {
        int to = count++;
        int c = classOf[entry.getKey()];
        number[entry.getValue()] = to;
        fail[to] = state == 0 ? 0 : step(back, c);
        if (branches) {
          rows[row[state] + c] = to;
        } else {
          edge[state] = c;
          edgeTo[state] = to;
        }
        queue.add(entry.getValue());
      }
    }
    rows = Arrays.copyOf(rows, used);
  }

  private int step(int from, int c) {
    int state = from;
    while (true) {
      if (row[state] >= 0) {
        return rows[row[state] + c];
      }
      if (edge[state] == c) {
        return edgeTo[state];
      }
      state = fail[state];
    }
  }

  /** The numbers of the phrases that occur in {@code text}. */
  BitSet match(String text) {
    var found = new BitSet(phrases);
    var gaps = new Gaps();
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      int c = classOf[text.charAt(i)];
      state = c == 0 ? 0 : step(state, c);
      for (int s = firstEnd[state]; s != 0; s = nextEnd[s]) {
        for (int slot : ends[s]) {
          hit(slots[slot], text, i + 1, gaps, found);
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
        "%d phrases, %d states, %d classes, %d rows",
        phrases,
        ends.length,
        classes,
        rows.length / classes);
  }
}
