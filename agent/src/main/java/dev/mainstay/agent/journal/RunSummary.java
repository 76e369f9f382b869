package dev.mainstay.agent.journal;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What lists show of a run, folded from its journal. The store keeps it beside the run with every
 * write, so that a list reads no journals.
 *
 * @param about what the run is from its beginning on
 * @param reason why it ended, in a name and words; null while it goes on
 * @param turns that the model has answered
 * @param steps the number of the last step, model calls included
 * @param used so far, by sub-agents too
 * @param inDoubt the steps whose effect is in doubt
 */
public record RunSummary(
    About about,
    @Nullable String reason,
    int turns,
    int steps,
    Total used,
    SortedSet<Integer> inDoubt) {

  /**
   * What a run is from its beginning on.
   *
   * @param replayOf the run that it replays, or null
   */
  public record About(
      Map<String, String> labels, String definitionHash, @Nullable String replayOf) {}

  /**
   * What was used.
   *
   * @param attempts upstream requests of all model calls
   * @param costNanos nano-dollars whose price is known
   * @param costUnknown whether something cost an unknown amount
   */
  public record Total(int attempts, long tokens, long costNanos, boolean costUnknown) {
    private Total plus(JournalEntry.Used more) {
      var cost = more.costNanos();
      return new Total(
          attempts + more.attempts(),
          tokens + more.tokens(),
          costNanos + (cost == null ? 0 : cost),
          costUnknown || cost == null);
    }
  }

  /** Of an empty journal. */
  static final RunSummary NONE =
      new RunSummary(
          new About(Map.of(), "", null),
          null,
          0,
          0,
          new Total(0, 0, 0, false),
          Collections.emptySortedSet());

  /** Of a run whose journal has these entries. */
  public static RunSummary of(List<JournalEntry> entries) {
    return NONE.with(entries);
  }

  /** After {@code entries}. */
  public RunSummary with(List<JournalEntry> entries) {
    var summary = this;
    for (var entry : entries) {
      summary = summary.with(entry);
    }
    return summary;
  }

  RunSummary with(JournalEntry entry) {
    return switch (entry) {
      case JournalEntry.Accepted begin ->
          about(new About(begin.request().labels(), begin.definitionHash(), about.replayOf));
      case JournalEntry.Forked fork ->
          about(new About(about.labels, about.definitionHash, fork.run()));
      case JournalEntry.TurnStarted start -> steps(start.step());
      case JournalEntry.StepPlanned planned -> steps(planned.step());
      case JournalEntry.TurnFailed failed -> used(turns, used.plus(failed.used()));
      case JournalEntry.TurnEnded answered -> used(answered.turn(), used.plus(answered.used()));
      case JournalEntry.ChildEnded child -> used(turns, used.plus(child.used()));
      case JournalEntry.StepEnded done -> {
        long cost = done.costNanos() == null ? 0 : done.costNanos();
        yield used(turns, used.plus(new JournalEntry.Used(0, 0, cost))).inDoubt(done.step(), false);
      }
      case JournalEntry.StepSkipped skip -> inDoubt(skip.step(), false);
      case JournalEntry.InDoubt doubt -> inDoubt(doubt.step(), true);
      case JournalEntry.Ended end ->
          new RunSummary(about, end.reason() + ": " + end.words(), turns, steps, used, inDoubt);
      default -> this;
    };
  }

  private RunSummary about(About other) {
    return new RunSummary(other, reason, turns, steps, used, inDoubt);
  }

  private RunSummary steps(int last) {
    return new RunSummary(about, reason, turns, last, used, inDoubt);
  }

  private RunSummary used(int answered, Total total) {
    return new RunSummary(about, reason, answered, steps, total, inDoubt);
  }

  private RunSummary inDoubt(int step, boolean is) {
    if (inDoubt.contains(step) == is) {
      return this;
    }
    var other = new TreeSet<>(inDoubt);
    if (is) {
      other.add(step);
    } else {
      other.remove(step);
    }
    return new RunSummary(about, reason, turns, steps, used, other);
  }

  /**
   * These entries as the store keeps them, with what the run comes to.
   *
   * @param length of the journal with them
   */
  public RunStore.Entries stored(List<JournalEntry> entries, long length) {
    return new RunStore.Entries(
        entries.stream().map(JournalJson::stored).toList(), with(entries).stored(length));
  }

  /** The first entries of a run as the store keeps them. */
  public static RunStore.Entries first(List<JournalEntry> entries) {
    return NONE.stored(entries, entries.size());
  }

  /**
   * As the store keeps it.
   *
   * @param length of the journal: a version of Mainstay that keeps no summaries may go on with it
   */
  public String stored(long length) {
    var json = Tree.object();
    json.put("entries", length);
    var labels = json.putObject("labels");
    about.labels.forEach(labels::put);
    json.put("definition_hash", about.definitionHash);
    json.put("replay_of", about.replayOf);
    json.put("reason", reason);
    json.put("turns", turns);
    json.put("steps", steps);
    json.put("attempts", used.attempts);
    json.put("tokens", used.tokens);
    json.put("cost_nanos", used.costNanos);
    json.put("cost_unknown", used.costUnknown);
    var doubts = json.putArray("in_doubt");
    inDoubt.forEach(doubts::add);
    // What the words of a provider have of a broken surrogate pair is no text to a database.
    return new String(Tree.write(json).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  /** The summary that the store keeps of {@code run}, or null where that is not of its journal. */
  public static @Nullable RunSummary of(RunStore.Run run) {
    var kept = run.summary();
    if (kept == null) {
      return null;
    }
    var json = Tree.read(kept);
    if (json.path("entries").asLong() != run.entries()) {
      return null;
    }
    var labels = new LinkedHashMap<String, String>();
    json.path("labels").properties().forEach(e -> labels.put(e.getKey(), e.getValue().asString()));
    var inDoubt = new TreeSet<Integer>();
    json.path("in_doubt").forEach(step -> inDoubt.add(step.asInt()));
    return new RunSummary(
        new About(
            labels,
            json.path("definition_hash").asString(),
            json.path("replay_of").stringValue(null)),
        json.path("reason").stringValue(null),
        json.path("turns").asInt(),
        json.path("steps").asInt(),
        new Total(
            json.path("attempts").asInt(),
            json.path("tokens").asLong(),
            json.path("cost_nanos").asLong(),
            json.path("cost_unknown").asBoolean()),
        inDoubt);
  }
}
