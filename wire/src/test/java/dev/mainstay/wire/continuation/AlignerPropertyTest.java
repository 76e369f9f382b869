package dev.mainstay.wire.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every text cut at every point, against targets of every habit; each case from a printed seed. */
final class AlignerPropertyTest {
  private static final List<String> WORDS =
      List.of(
          "the",
          "harbour",
          "was",
          "quiet",
          "that",
          "morning",
          "naïve",
          "café",
          "12",
          "€",
          "crêpes",
          "🙂",
          "👩‍👩‍👧",
          "港",
          "静かな朝",
          "e\u0301tude",
          "a",
          "I",
          "was",
          "boats,",
          "tide.",
          "and",
          "mended",
          "nets",
          "while",
          "gulls",
          "wheeled",
          "above",
          "empty",
          "market",
          "stalls",
          "x-ray");

  @Test
  void proseIsWholeWhateverTheTargetDoes() {
    for (long seed = 0; seed < 40; seed++) {
      var random = new SplittableRandom(seed);
      String text = prose(random, 6 + random.nextInt(40));
      for (int cut : cuts(text)) {
        String had = text.substring(0, cut);
        String rest = text.substring(cut);
        for (var mode : List.of(Mode.PREFILL, Mode.INSTRUCTION)) {
          String where = "seed " + seed + ", cut at " + cut + ", " + mode;
          check(where, text, had, mode, false, rest, random);
          check(where, text, had, mode, false, text, random);
          check(where, text, had, mode, false, lastWords(had, 24) + rest, random);
          check(where, text, had, mode, false, "\"" + lastWords(had, 24) + rest, random);
        }
        String sent = had.stripTrailing();
        if (!sent.isEmpty()) {
          String where = "seed " + seed + ", cut at " + cut + ", trimmed";
          check(where, text, had, Mode.PREFILL, true, text.substring(sent.length()), random);
          check(where, text, had, Mode.PREFILL, true, text, random);
          if (rest.equals(rest.stripLeading())) {
            check(where, text, had, Mode.PREFILL, true, rest, random);
          }
        }
        check("seed " + seed + ", cut at " + cut, text, had, Mode.RESTART, false, text, random);
      }
    }
  }

  /** The rest, delivered once, or a refusal; never less than the text and never more. */
  private static void check(
      String where,
      String text,
      String had,
      Mode mode,
      boolean trimmed,
      String back,
      SplittableRandom random) {
    var whole = run(new Aligner(had, mode, trimmed, false, false, List.of()), List.of(back));
    var pieces =
        run(new Aligner(had, mode, trimmed, false, false, List.of()), pieces(back, random));
    assertThat(pieces).as(where + ", in pieces").isEqualTo(whole);
    if (whole.refused() == Aligner.Refusal.AMBIGUOUS) {
      assertThat(Overlap.weight(had.strip())).as(where).isLessThan(64);
      assertThat(back.strip().replaceFirst("^\"", "")).as(where).startsWith(had.strip());
      return;
    }
    assertThat(whole.refused()).as(where).isNull();
    assertThat(had + whole.text()).as(where + ", comes back: " + back).isEqualTo(text);
  }

  @Test
  void jsonIsOneValueOrRefused() {
    for (long seed = 0; seed < 30; seed++) {
      var random = new SplittableRandom(seed);
      String text = json(random, 3);
      for (int cut : cuts(text)) {
        String had = text.substring(0, cut);
        String rest = text.substring(cut);
        for (var back : List.of(rest, text, "```json\n" + text + "\n```", "Sure: " + rest)) {
          var result =
              run(
                  new Aligner(had, Mode.INSTRUCTION, false, false, true, List.of()),
                  pieces(back, random));
          if (result.refused() == null) {
            assertThat(JsonSeam.isWhole(had + result.text()))
                .as("seed " + seed + ", cut at " + cut + ": " + had + "|" + result.text())
                .isTrue();
          }
        }
        var exact =
            run(
                new Aligner(had, Mode.PREFILL, false, false, true, List.of()),
                pieces(rest, random));
        if (exact.refused() != Aligner.Refusal.AMBIGUOUS) {
          assertThat(had + exact.text()).isEqualTo(text);
        }
      }
    }
  }

  /** Texts that repeat themselves: nothing of them is ever lost where the target goes on. */
  @Test
  void repetitiveTextsAreNeverShortened() {
    for (var unit :
        List.of("ha ", "na", "0, ", "| --- ", "-", "    }\n", "<br>\n", "🙂", "false, ")) {
      String text = unit.repeat(40);
      for (int cut : cuts(text)) {
        String had = text.substring(0, cut);
        var result =
            run(
                new Aligner(had, Mode.PREFILL, false, false, false, List.of()),
                List.of(text.substring(cut)));
        if (result.refused() == null) {
          assertThat(had + result.text()).isEqualTo(text);
        } else {
          assertThat(result.refused()).isEqualTo(Aligner.Refusal.AMBIGUOUS);
        }
      }
    }
  }

  @Test
  void anotherAnswerIsNeverMixedIn() {
    for (long seed = 0; seed < 200; seed++) {
      var random = new SplittableRandom(seed);
      String had = prose(random, 12);
      int same = had.offsetByCodePoints(0, had.codePointCount(0, had.length()) * 3 / 4);
      if (same < 24) {
        continue;
      }
      var result =
          run(
              new Aligner(had, Mode.INSTRUCTION, false, false, false, List.of()),
              pieces(had.substring(0, same) + "§ entirely other", random));
      assertThat(result.refused()).as("seed " + seed).isEqualTo(Aligner.Refusal.DIVERGED);
      assertThat(result.text()).isEmpty();
    }
  }

  private record Result(String text, Aligner.@Nullable Refusal refused, Seam seam) {}

  private static Result run(Aligner aligner, List<String> pieces) {
    var out = new StringBuilder();
    for (var piece : pieces) {
      String text = aligner.feed(piece).text();
      assertThat(text.isEmpty() || !Character.isHighSurrogate(text.charAt(text.length() - 1)))
          .isTrue();
      out.append(text);
    }
    var last = aligner.finish(false);
    out.append(last.text());
    return new Result(out.toString(), last.refused(), aligner.seam());
  }

  private static List<String> pieces(String text, SplittableRandom random) {
    var pieces = new ArrayList<String>();
    for (int at = 0; at < text.length(); ) {
      int left = text.codePointCount(at, text.length());
      int end = text.offsetByCodePoints(at, Math.min(left, 1 + random.nextInt(7)));
      pieces.add(text.substring(at, end));
      at = end;
    }
    return pieces;
  }

  /** Every place between two code points, the beginning apart. */
  private static List<Integer> cuts(String text) {
    var cuts = new ArrayList<Integer>();
    for (int at = 0; at < text.length(); ) {
      at = text.offsetByCodePoints(at, 1);
      cuts.add(at);
    }
    return cuts;
  }

  /** At least {@code atLeast} characters of the end, from a word's start, or all of it. */
  private static String lastWords(String text, int atLeast) {
    int from = text.length() - atLeast;
    while (from > 0 && text.charAt(from - 1) != ' ') {
      from--;
    }
    return text.substring(Math.max(0, from));
  }

  private static String prose(SplittableRandom random, int words) {
    var text = new StringBuilder();
    for (int i = 0; i < words; i++) {
      text.append(WORDS.get(random.nextInt(WORDS.size())));
      text.append(random.nextInt(9) == 0 ? "\n\n" : " ");
    }
    return text.append("End.").toString();
  }

  private static String json(SplittableRandom random, int depth) {
    return switch (depth == 0 ? random.nextInt(4) : 4 + random.nextInt(2)) {
      case 0 -> "\"" + WORDS.get(random.nextInt(WORDS.size())) + "\\n\\\"\"";
      case 1 -> Integer.toString(random.nextInt(2000) - 1000);
      case 2 -> "true";
      case 3 -> "-1.5e3";
      case 4 -> {
        var fields = new ArrayList<String>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
          fields.add(
              "\""
                  + WORDS.get(random.nextInt(WORDS.size()))
                  + i
                  + "\": "
                  + json(random, depth - 1));
        }
        yield "{" + String.join(", ", fields) + "}";
      }
      default -> {
        var elements = new ArrayList<String>();
        for (int i = 0; i < random.nextInt(4); i++) {
          elements.add(json(random, depth - 1));
        }
        yield "[" + String.join(",", elements) + "]";
      }
    };
  }
}
