package dev.mainstay.core.classify;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds all phrases of all rules in one pass over a text: the automaton of Aho and Corasick
 * ("Efficient string matching: an aid to bibliographic search", CACM 18(6), 1975) over the
 * literals, with failure links folded into a full transition table over classes of characters.
 *
 * <p>A phrase with gaps is followed by remembering how many of its literals have been seen and
 * where the last one ended. Taking the earliest occurrence of each literal is complete, because a
 * later one would only leave less text for the rest. Time is linear in the text times the number of
 * literals that end at one place, which is bounded by the longest chain of suffixes among them.
 *
 * <p>Immutable and thread-safe.
 */
final class Automaton {
  private final int classes;
  private final char[] asciiClass = new char[128];
  private final Map<Character, Character> otherClass = new HashMap<>();
  private final char[] next;
  private final int[][] ends;
  private final int[] outLink;
  private final Slot[] slots;
  private final int phrases;

  /** Where a literal stands: which phrase, which place in it. */
  private record Slot(
      int phrase, int place, boolean last, int length, boolean wordStart, boolean wordEnd) {}

  Automaton(List<Phrase> all) {
    phrases = all.size();
    var trie = new Trie();
    var list = new ArrayList<Slot>();
    for (int p = 0; p < all.size(); p++) {
      var parts = all.get(p).parts();
      for (int k = 0; k < parts.size(); k++) {
        var part = parts.get(k);
        var slot =
            new Slot(
                p,
                k,
                k == parts.size() - 1,
                part.literal().length(),
                part.wordStart(),
                part.wordEnd());
        trie.add(part.literal(), list.size());
        list.add(slot);
      }
    }
    slots = list.toArray(Slot[]::new);
    classes = classes(all);
    if (trie.states.size() > Character.MAX_VALUE) {
      throw new IllegalArgumentException("too many patterns: " + trie.states.size() + " states");
    }
    next = new char[trie.states.size() * classes];
    outLink = new int[trie.states.size()];
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
          states.add(new HashMap<>());
          ends.add(new ArrayList<>());
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
          if (c < 128) {
            if (asciiClass[c] == 0) {
              asciiClass[c] = (char) count++;
            }
          } else if (otherClass.putIfAbsent(c, (char) count) == null) {
            count++;
          }
        }
      }
    }
    for (char c = 'A'; c <= 'Z'; c++) {
      asciiClass[c] = asciiClass[c + 32];
    }
    return count;
  }

  private void link(Trie trie) {
    var queue = new ArrayDeque<Integer>();
    int[] fail = new int[trie.states.size()];
    for (var edge : trie.states.getFirst().entrySet()) {
      next[classOf(edge.getKey())] = (char) edge.getValue().intValue();
      queue.add(edge.getValue());
    }
    ends[0] = new int[0];
    while (!queue.isEmpty()) {
      int state = queue.remove();
      int back = fail[state];
      ends[state] = trie.ends.get(state).stream().mapToInt(Integer::intValue).toArray();
      outLink[state] = ends[back].length > 0 ? back : outLink[back];
      System.arraycopy(next, back * classes, next, state * classes, classes);
      for (var edge : trie.states.get(state).entrySet()) {
        int to = edge.getValue();
        int index = state * classes + classOf(edge.getKey());
        fail[to] = next[index];
        next[index] = (char) to;
        queue.add(to);
      }
    }
  }

  private int classOf(char c) {
    if (c < 128) {
      return asciiClass[c];
    }
    var other = otherClass.get(c);
    if (other == null && Character.isUpperCase(c)) {
      other = otherClass.get(Character.toLowerCase(c));
    }
    return other == null ? 0 : other;
  }

  /** The numbers of the phrases that occur in {@code text}. */
  BitSet match(String text) {
    var found = new BitSet(phrases);
    if (text.isEmpty()) {
      return found;
    }
    int[] seen = new int[phrases];
    int[] lastEnd = new int[phrases];
    Arrays.fill(lastEnd, -1);
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      state = next[state * classes + classOf(text.charAt(i))];
      for (int s = ends[state].length > 0 ? state : outLink[state]; s != 0; s = outLink[s]) {
        for (int slot : ends[s]) {
          hit(slots[slot], text, i + 1, seen, lastEnd, found);
        }
      }
    }
    return found;
  }

  private static void hit(
      Slot slot, String text, int end, int[] seen, int[] lastEnd, BitSet found) {
    int start = end - slot.length;
    if (seen[slot.phrase] == slot.place
        && start >= lastEnd[slot.phrase]
        && (!slot.wordStart || isBorder(text, start - 1))
        && (!slot.wordEnd || isBorder(text, end))) {
      seen[slot.phrase] = slot.place + 1;
      lastEnd[slot.phrase] = end;
      if (slot.last) {
        found.set(slot.phrase);
      }
    }
  }

  private static boolean isBorder(String text, int i) {
    return i < 0 || i >= text.length() || !Character.isLetterOrDigit(text.charAt(i));
  }

  /** For messages: how large it is. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%d phrases, %d states, %d classes", phrases, ends.length, classes);
  }
}
