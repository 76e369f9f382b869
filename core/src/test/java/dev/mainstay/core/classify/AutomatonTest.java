package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutomatonTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          credit balance * too low ; Your CREDIT balance is too low   ; true
          credit balance * too low ; too low is your credit balance   ; false
          rate limit               ; generate limits                  ; true
          \\brate limit            ; first generate limit             ; false
          \\brate limit            ; a rate limit                     ; true
          \\bquota\\b              ; quotas                           ; false
          \\bquota\\b              ; over (quota).                    ; true
          "rate "                  ; rate-limited                     ; false
          a\\|b                    ; it is a|b                        ; true
          aa * aa                  ; aaa                              ; false
          ^terminated$             ; TypeError: terminated            ; true
          ^terminated$             ; "terminated".                    ; true
          ^terminated$             ; process terminated               ; false
          ^terminated$             ; terminated by a signal           ; false
          ^tool * not found$       ; Tool x not found                 ; true
          ^tool * not found$       ; A tool x is not found            ; false
          aa * aa                  ; aaaa                             ; true
          余额不足 * 充值           ; 余额不足或无可用资源包,请充值。    ; true
          """)
  void findsPhrases(String phrase, String text, boolean found) {
    var automaton = new Automaton(Phrase.alternatives(phrase));
    assertThat(automaton.match(text).get(0)).isEqualTo(found);
  }

  @Test
  void agreesWithASearchPhraseByPhrase() {
    var random = new Random(42);
    for (int round = 0; round < 300; round++) {
      var phrases = new ArrayList<Phrase>();
      for (int p = 0; p < 1 + random.nextInt(20); p++) {
        phrases.add(phrase(random));
      }
      var automaton = new Automaton(phrases);
      for (int t = 0; t < 20; t++) {
        var text = letters(random, random.nextInt(60));
        assertThat(automaton.match(text))
            .as("seed 42, round %d: %s in '%s'", round, phrases, text)
            .isEqualTo(naive(phrases, text));
      }
    }
  }

  private static Phrase phrase(Random random) {
    var parts = new ArrayList<Phrase.Part>();
    for (int k = 0; k <= random.nextInt(3); k++) {
      parts.add(
          new Phrase.Part(
              letters(random, 2 + random.nextInt(4)).toLowerCase(Locale.ROOT),
              random.nextInt(6) == 0,
              random.nextInt(6) == 0,
              false,
              false));
    }
    return new Phrase(parts);
  }

  /** Few letters, so that literals overlap; blanks are borders. */
  private static String letters(Random random, int length) {
    var out = new StringBuilder();
    for (int i = 0; i < length; i++) {
      out.append("abAB 限".charAt(random.nextInt(6)));
    }
    return out.toString();
  }

  private static BitSet naive(List<Phrase> phrases, String text) {
    var lower = text.toLowerCase(Locale.ROOT);
    var found = new BitSet();
    for (int p = 0; p < phrases.size(); p++) {
      int from = 0;
      for (var part : phrases.get(p).parts()) {
        from = from < 0 ? -1 : end(lower, part, from);
      }
      found.set(p, from >= 0);
    }
    return found;
  }

  private static int end(String text, Phrase.Part part, int from) {
    for (int i = text.indexOf(part.literal(), from);
        i >= 0;
        i = text.indexOf(part.literal(), i + 1)) {
      int end = i + part.literal().length();
      if ((!part.wordStart() || border(text, i - 1)) && (!part.wordEnd() || border(text, end))) {
        return end;
      }
    }
    return -1;
  }

  private static boolean border(String text, int i) {
    return i < 0 || i >= text.length() || !Character.isLetterOrDigit(text.charAt(i));
  }
}
