package dev.mainstay.engine;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.classify.RuleTable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one configuration: its own before those that ship. They are put together by the
 * first failure, or behind the start: a call that succeeds needs none, and it takes as long as the
 * rest of a start. Thread-safe.
 */
public final class Rules {
  private final Map<String, String> texts;
  private final List<RuleTable> own;
  private volatile @Nullable Classifier classifier;

  /**
   * @param texts of the own rules, by their files
   * @throws IllegalArgumentException with file and line of a mistake in them
   */
  Rules(Map<String, String> texts) {
    this.texts = texts;
    own =
        texts.entrySet().stream()
            .map(file -> RuleTable.parse(file.getKey(), file.getValue()))
            .toList();
  }

  boolean same(Map<String, String> others) {
    return texts.equals(others);
  }

  /** The rules at work. */
  public Classifier classifier() {
    var made = classifier;
    if (made == null) {
      synchronized (this) {
        made = classifier;
        if (made == null) {
          made = own.isEmpty() ? Classifier.standard() : Classifier.with(own);
          classifier = made;
        }
      }
    }
    return made;
  }
}
