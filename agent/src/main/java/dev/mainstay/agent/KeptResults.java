package dev.mainstay.agent;

import dev.mainstay.agent.decide.OfferedTools;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.ResultPart;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.agent.tool.ToolText;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * Results that are too long for a model. The journal keeps them whole, in parts; the model sees an
 * excerpt, and a tool of Mainstay's own that pages through the rest.
 */
final class KeptResults {
  private KeptResults() {}

  /**
   * The entries that end a step: what comes {@code before}, the parts of a long result, the end.
   */
  static JournalEntry[] entries(
      int step,
      StepRunner.Ended ended,
      @Nullable Long costNanos,
      long now,
      JournalEntry... before) {
    var entries = new ArrayList<JournalEntry>();
    Collections.addAll(entries, before);
    var text = ToolText.clean(ended.result());
    var shown = text;
    if (text.length() > ToolText.MOST_SHOWN + 500) {
      for (int at = 0; at < text.length(); ) {
        var part = ToolText.slice(text, at, at + ResultPart.LENGTH);
        entries.add(new ResultPart(step, at, part));
        at += part.length();
      }
      var excerpt = ToolText.slice(text, 0, ToolText.MOST_SHOWN);
      shown = excerpt + more(step, 0, excerpt.length(), text.length());
    }
    entries.add(new JournalEntry.StepEnded(step, ended.ok(), shown, costNanos, now));
    return entries.toArray(JournalEntry[]::new);
  }

  private static String more(int step, int from, int to, int length) {
    var shown = "\n[Mainstay: characters %d to %d of %d.".formatted(from, to, length);
    return to >= length
        ? shown + "]"
        : shown
            + " %s {\"step\": %d, \"offset\": %d} returns the next part.]"
                .formatted(OfferedTools.READ_RESULT, step, to);
  }

  /** The result of {@code step}, whole. */
  static String whole(RunJournal journal, ToolStep step) throws InterruptedException {
    var ended = step.ended();
    if (step.keptLength() == 0 || ended == null) {
      return ended == null ? "" : ended.result();
    }
    var text = new StringBuilder(step.keptLength());
    while (text.length() < step.keptLength()) {
      var part = journal.kept(step.planned().step(), text.length());
      if (part == null || part.text().isEmpty()) {
        break;
      }
      text.append(part.text());
    }
    return text.toString();
  }

  /** Carries the tool out. */
  static StepRunner.Ended read(RunJournal journal, String arguments) throws InterruptedException {
    var json = Tree.read(arguments);
    int step = json.path("step").asInt(0);
    int length = journal.keptLength(step);
    int offset = json.path("offset").asInt(0);
    if (length == 0) {
      return new StepRunner.Ended(
          false, "Step " + step + " has no long result. Use the step that an excerpt names.");
    }
    if (offset < 0 || offset >= length) {
      return new StepRunner.Ended(
          false, "The result has %d characters; offset %d is outside.".formatted(length, offset));
    }
    var slice = "";
    // At most two parts: the one that holds the offset, and the next.
    for (int at = offset; slice.length() < ToolText.MOST_SHOWN && at < length; ) {
      var part = journal.kept(step, at);
      if (part == null) {
        break;
      }
      int from = at - part.offset();
      slice += ToolText.slice(part.text(), from, from + ToolText.MOST_SHOWN - slice.length());
      at = part.offset() + part.text().length();
    }
    return new StepRunner.Ended(true, slice + more(step, offset, offset + slice.length(), length));
  }
}
