package dev.mainstay.core.classify;

import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict.Advice;
import dev.mainstay.core.verdict.Verdict.Finding;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One row of a table: when all of {@code when} holds, the failure means {@code then}.
 *
 * @param line where it begins in its file
 * @param weak whether it is asked only after every rule that is not
 */
record Rule(
    String id,
    String table,
    int line,
    boolean weak,
    Conditions when,
    Outcome then,
    String source,
    List<Sample> samples) {

  Rule {
    samples = List.copyOf(samples);
  }

  /** Which text a phrase is looked for in. */
  enum Scope {
    /** The provider's own words, or the client's where there are no others. */
    MESSAGE,
    /** What the client and the wrappers said. */
    CLIENT,
    /** Either. */
    ANY
  }

  /** One line of phrases: {@code found} says whether one of them must occur or none may. */
  record Match(Scope scope, boolean found, List<Phrase> phrases) {
    Match {
      phrases = List.copyOf(phrases);
    }
  }

  /** What must hold. An empty set asks for nothing. */
  record Conditions(
      Set<String> providers,
      Set<Where> where,
      StatusSet status,
      Names names,
      Set<StreamEnding> ending,
      Map<String, NamePatterns> headers,
      List<Match> matches) {
    Conditions {
      providers = Set.copyOf(providers);
      where = Set.copyOf(where);
      ending = Set.copyOf(ending);
      headers = Map.copyOf(headers);
      matches = List.copyOf(matches);
    }
  }

  /** The names that a failure bears, each in a field of its own. */
  record Names(
      NamePatterns code,
      NamePatterns type,
      NamePatterns grpc,
      NamePatterns aws,
      NamePatterns param,
      NamePatterns finish,
      NamePatterns shape) {
    /** Whether one of them is asked for. */
    boolean given() {
      return !(code.any()
          && type.any()
          && grpc.any()
          && aws.any()
          && param.any()
          && finish.any()
          && shape.any());
    }
  }

  /**
   * What it means.
   *
   * @param advice without a wait, which the failure states
   * @param windows whether a limit's window decides if it is worth waiting for
   */
  record Outcome(Finding finding, Advice advice, boolean windows, Waiting waiting) {
    FailureClass failureClass() {
      return finding.failureClass();
    }

    Kind kind() {
      return finding.kind();
    }

    boolean retrySame() {
      return advice.retrySame();
    }
  }

  /** What becomes of a stated wait. */
  enum Waiting {
    /** It is passed on. */
    KEEP,
    /** It has nothing to do with this failure. */
    DROP
  }

  /** A real failure that this rule is there for, and what must come of it. */
  record Sample(
      int line,
      @Nullable String provider,
      Where where,
      @Nullable Integer status,
      Map<String, String> headers,
      @Nullable StreamEnding ending,
      String text,
      Map<String, String> expected) {
    Sample {
      headers = Map.copyOf(headers);
      expected = Map.copyOf(expected);
    }
  }
}
