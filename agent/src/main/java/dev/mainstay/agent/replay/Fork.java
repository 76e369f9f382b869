package dev.mainstay.agent.replay;

import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Forked;
import dev.mainstay.agent.journal.JournalEntry.ResultPart;
import dev.mainstay.agent.journal.JournalEntry.StepEnded;
import dev.mainstay.agent.journal.JournalEntry.StepPlanned;
import dev.mainstay.agent.journal.JournalEntry.TurnStarted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The journal of a run that begins as another one did and goes on live from a step of it. What
 * comes before the step is taken from the record.
 */
public final class Fork {
  private final String from;
  private final List<JournalEntry> record;
  private final int step;

  private Fork(String from, List<JournalEntry> record, int step) {
    this.from = from;
    this.record = record;
    this.step = step;
  }

  /** The first entries of a new run. */
  public record Journal(List<JournalEntry> entries, JournalEntry.Accepted accepted) {}

  /**
   * The journal of the run {@code id}.
   *
   * @param from the run that was
   * @param record its journal
   * @param step the first that is live; at most one behind the last
   * @param effectsLive whether tools that change the world are called
   * @throws IllegalArgumentException where the run has no such step, or the changes do not fit it
   */
  public static Journal of(
      String id,
      String from,
      List<JournalEntry> record,
      int step,
      Changes changes,
      boolean effectsLive,
      long now) {
    var fork = new Fork(from, record, step);
    fork.check();
    return fork.journal(id, changes, effectsLive, now);
  }

  /**
   * The journal of a run that goes on where a dead letter stopped, everything as it was: the same
   * agent, the same keys, so that no effect happens twice.
   */
  public static Journal goOn(String from, List<JournalEntry> record, long now) {
    var was = (JournalEntry.Accepted) record.getFirst();
    var entries = new ArrayList<JournalEntry>();
    entries.add(was);
    int last = 0;
    var open = new ArrayList<JournalEntry>();
    for (var entry : record.subList(1, record.size())) {
      switch (entry) {
        case JournalEntry.Ended _, JournalEntry.WorkerBegan _, JournalEntry.Woken _ -> {}
        case TurnStarted _, JournalEntry.TurnFailed _ -> open.add(entry);
        case JournalEntry.TurnEnded _ -> {
          // The attempts of a turn that was answered; those of one that never was begin anew.
          entries.addAll(open);
          open.clear();
          entries.add(entry);
        }
        default -> entries.add(entry);
      }
    }
    for (var entry : entries) {
      last =
          switch (entry) {
            case TurnStarted start -> start.step();
            case StepPlanned planned -> planned.step();
            default -> last;
          };
    }
    entries.add(new Forked(from, last + 1, true, null, List.of(), now));
    return new Journal(List.copyOf(entries), was);
  }

  private void check() {
    int last = 0;
    for (var entry : record) {
      last =
          switch (entry) {
            case TurnStarted start -> start.step();
            case StepPlanned planned -> planned.step();
            default -> last;
          };
    }
    if (step < 1 || step > last + 1) {
      throw new IllegalArgumentException(
          "from_step is %d: the run %s has steps 1 to %d.".formatted(step, from, last));
    }
  }

  private Journal journal(String id, Changes changes, boolean effectsLive, long now) {
    var was = (JournalEntry.Accepted) record.getFirst();
    var definition = changes.to(was.definition());
    var asked = was.request();
    var accepted =
        new JournalEntry.Accepted(
            definition,
            definition.hash(),
            // A session goes on from real runs alone, and their clients wait for no other.
            new JournalEntry.RunRequest(
                asked.agent(),
                asked.input(),
                asked.plan(),
                asked.client(),
                null,
                asked.priority(),
                asked.labels(),
                null),
            was.history(),
            now);
    var entries = new ArrayList<JournalEntry>();
    entries.add(accepted);
    entries.add(
        new Forked(
            from,
            step,
            effectsLive,
            changes.temperature(),
            effectsLive ? List.of() : recorded(),
            now));
    boolean planned = false;
    for (var entry : record.subList(1, record.size())) {
      if (entry instanceof TurnStarted start && start.step() >= step) {
        break;
      }
      if (entry instanceof StepPlanned plan && plan.step() >= step) {
        planned = true;
        entries.add(anew(id, plan));
      } else if (!planned ? belongs(entry) : belongs(entry) && stepOf(entry) > 0) {
        entries.add(entry);
      }
    }
    return new Journal(List.copyOf(entries), accepted);
  }

  /** A live call has a key of its own: the tool must not take it for the recorded one. */
  private static StepPlanned anew(String id, StepPlanned plan) {
    return new StepPlanned(
        plan.step(),
        plan.turn(),
        plan.toolCall(),
        plan.tool(),
        plan.arguments(),
        Digests.sha256(id + '\n' + plan.step() + '\n' + plan.tool() + '\n' + plan.arguments())
            .substring(0, 32));
  }

  /** Whether the entry is of the steps before the fork. */
  private boolean belongs(JournalEntry entry) {
    return switch (entry) {
      case JournalEntry.Ended _,
          JournalEntry.WorkerBegan _,
          JournalEntry.Woken _,
          Forked _,
          JournalEntry.StartedBy _ ->
          false;
      case JournalEntry.Decided decided ->
          !decided.kind().equals("cancel") && stepOf(decided) < step;
      default -> stepOf(entry) < step;
    };
  }

  /** The tool step that an entry is about; 0 for none. */
  private static int stepOf(JournalEntry entry) {
    return switch (entry) {
      case JournalEntry.StepStarted each -> each.step();
      case JournalEntry.StepFailed each -> each.step();
      case StepEnded each -> each.step();
      case ResultPart each -> each.step();
      case JournalEntry.ChildStarted each -> each.step();
      case JournalEntry.ChildEnded each -> each.step();
      case JournalEntry.ApprovalAsked each -> each.step();
      case JournalEntry.InDoubt each -> each.step();
      case JournalEntry.Decided each -> each.content().path("step").asInt(0);
      default -> 0;
    };
  }

  /** What the tools that change the world answered. */
  private List<Forked.Recorded> recorded() {
    var definition = ((JournalEntry.Accepted) record.getFirst()).definition();
    var planned = new TreeMap<Integer, StepPlanned>();
    var whole = new HashMap<Integer, StringBuilder>();
    var recorded = new ArrayList<Forked.Recorded>();
    for (var entry : record) {
      switch (entry) {
        case StepPlanned plan -> planned.put(plan.step(), plan);
        case ResultPart part ->
            whole.computeIfAbsent(part.step(), _ -> new StringBuilder()).append(part.text());
        case StepEnded end -> recorded.addAll(recorded(planned, whole, end));
        default -> {}
      }
    }
    recorded.removeIf(
        each -> {
          var tool = definition.tool(each.tool());
          return tool == null || tool.effect() == Effect.READ;
        });
    // A fork of a fork knows what the first one knew.
    for (var entry : record) {
      if (entry instanceof Forked before) {
        recorded.addAll(before.recorded());
      }
    }
    return recorded;
  }

  private static List<Forked.Recorded> recorded(
      Map<Integer, StepPlanned> planned, Map<Integer, StringBuilder> whole, StepEnded end) {
    var plan = planned.get(end.step());
    if (plan == null) {
      return List.of();
    }
    var parts = whole.get(end.step());
    var result = parts == null ? end.result() : parts.toString();
    return List.of(
        new Forked.Recorded(end.step(), plan.tool(), plan.arguments(), end.ok(), result));
  }
}
