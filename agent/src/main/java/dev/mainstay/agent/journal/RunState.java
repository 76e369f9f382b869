package dev.mainstay.agent.journal;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.JournalEntry.Accepted;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.engine.model.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run as its journal tells it: {@link #apply} folds one entry after the other, and nothing else
 * changes it. Not thread-safe.
 */
public final class RunState {
  private @Nullable Accepted accepted;
  private final List<Message> transcript = new ArrayList<>();
  private final TreeMap<Integer, Step> steps = new TreeMap<>();
  private int lastStep;
  private int turns;
  private int openTurn;
  private int turnAttempts;
  private int modelAttempts;
  private long tokens;
  private long costNanos;
  private boolean costUnknown;
  private long lastMessage;
  private boolean cancelled;
  private boolean paused;
  private JournalEntry.@Nullable TurnFailed lastFailure;
  private JournalEntry.@Nullable TurnEnded lastTurn;
  private JournalEntry.@Nullable Ended ended;
  private JournalEntry.@Nullable StartedBy startedBy;

  /** A tool call of the run. */
  public static final class Step {
    private final JournalEntry.StepPlanned planned;
    private int attempts;
    private boolean open;
    private boolean askedApproval;
    private @Nullable Boolean approved;
    private @Nullable String doubt;
    private JournalEntry.@Nullable StepFailed failure;
    private JournalEntry.@Nullable StepEnded ended;
    private JournalEntry.@Nullable ChildStarted child;
    private int keptLength;

    private Step(JournalEntry.StepPlanned planned) {
      this.planned = planned;
    }

    public JournalEntry.StepPlanned planned() {
      return planned;
    }

    /** Attempts that began. */
    public int attempts() {
      return attempts;
    }

    /** Whether an attempt began of which nothing more is known. */
    public boolean isOpen() {
      return open;
    }

    /** Whether a person was asked to approve it. */
    public boolean askedApproval() {
      return askedApproval;
    }

    /** What a person decided, or null. */
    public @Nullable Boolean approved() {
      return approved;
    }

    /** Why its effect is in doubt, or null. */
    public @Nullable String doubt() {
      return doubt;
    }

    /** The failure of its last attempt, or null. */
    public JournalEntry.@Nullable StepFailed failure() {
      return failure;
    }

    /** The run that carries it out, or null. */
    public JournalEntry.@Nullable ChildStarted child() {
      return child;
    }

    /** UTF-16 units of a result that the model sees an excerpt of; 0 where it sees it whole. */
    public int keptLength() {
      return keptLength;
    }

    /** How it ended, or null. */
    public JournalEntry.@Nullable StepEnded ended() {
      return ended;
    }
  }

  /** Folds {@code entry}. */
  public void apply(JournalEntry entry) {
    switch (entry) {
      case Accepted begin -> {
        accepted = begin;
        begin.history().forEach(message -> transcript.add(new Message((ObjectNode) message)));
        var input = begin.request().input();
        if (input != null) {
          transcript.add(Message.user(input));
        }
      }
      case JournalEntry.TurnStarted start -> {
        lastStep = start.step();
        openTurn = start.turn();
        turnAttempts = start.attempt();
      }
      case JournalEntry.TurnFailed failed -> {
        openTurn = 0;
        lastFailure = failed;
        used(failed.used());
      }
      case JournalEntry.TurnEnded answered -> {
        turns = answered.turn();
        openTurn = 0;
        turnAttempts = 0;
        lastFailure = null;
        lastTurn = answered;
        transcript.add(new Message((ObjectNode) answered.message()));
        used(answered.used());
      }
      case JournalEntry.StepPlanned planned -> {
        lastStep = planned.step();
        steps.put(planned.step(), new Step(planned));
      }
      case JournalEntry.StepStarted start -> {
        var step = step(start.step());
        step.attempts = start.attempt();
        step.open = true;
      }
      case JournalEntry.StepFailed failed -> {
        var step = step(failed.step());
        step.open = false;
        step.failure = failed;
      }
      case JournalEntry.StepEnded done -> {
        var step = step(done.step());
        step.open = false;
        step.doubt = null;
        step.ended = done;
        if (done.costNanos() != null) {
          costNanos += done.costNanos();
        }
        answerTurn(step.planned.turn());
      }
      case JournalEntry.ResultPart part -> step(part.step()).keptLength += part.text().length();
      case JournalEntry.ChildStarted start -> step(start.step()).child = start;
      case JournalEntry.ChildEnded child -> used(child.used());
      case JournalEntry.StartedBy by -> startedBy = by;
      case JournalEntry.ApprovalAsked asked -> step(asked.step()).askedApproval = true;
      case JournalEntry.InDoubt doubt -> {
        var step = step(doubt.step());
        step.open = false;
        step.doubt = doubt.evidence();
      }
      case JournalEntry.Decided decided -> decided(decided);
      case JournalEntry.Warned _ -> {}
      case JournalEntry.Nudged nudge -> transcript.add(Message.user(nudge.text()));
      case JournalEntry.Ended end -> ended = end;
    }
  }

  private void decided(JournalEntry.Decided decided) {
    lastMessage = Math.max(lastMessage, decided.number());
    switch (decided.kind()) {
      case "cancel" -> cancelled = true;
      case "pause" -> paused = true;
      case "resume" -> paused = false;
      case "approve" ->
          step(Integer.parseInt(String.valueOf(decided.about()))).approved =
              decided.content().path("approved").asBoolean(false);
      case "message" -> transcript.add(Message.user(decided.content().path("text").asString("")));
      default -> {}
    }
  }

  /**
   * Once every call of a turn has ended, its results go into the transcript, in the calls' order.
   */
  private void answerTurn(int turn) {
    var ofTurn = steps.values().stream().filter(step -> step.planned.turn() == turn).toList();
    for (var step : ofTurn) {
      if (step.ended == null) {
        return;
      }
    }
    for (var step : ofTurn) {
      if (step.ended != null) {
        transcript.add(Message.toolResult(step.planned.toolCall(), step.ended.result()));
      }
    }
  }

  private void used(Used used) {
    modelAttempts += used.attempts();
    tokens += used.tokens();
    if (used.costNanos() == null) {
      costUnknown = true;
    } else {
      costNanos += used.costNanos();
    }
  }

  private Step step(int number) {
    var step = steps.get(number);
    if (step == null) {
      throw new IllegalStateException(
          "the journal names step " + number + ", which it never planned");
    }
    return step;
  }

  /** The first entry. */
  public Accepted accepted() {
    if (accepted == null) {
      throw new IllegalStateException("the journal is empty");
    }
    return accepted;
  }

  public AgentDefinition definition() {
    return accepted().definition();
  }

  /** The conversation that the next model call sends, without the instructions. */
  public List<Message> transcript() {
    return List.copyOf(transcript);
  }

  /** Tool calls in the order of their numbers. */
  public List<Step> steps() {
    return List.copyOf(steps.values());
  }

  /** Tool calls that have not ended. */
  public List<Step> unfinished() {
    return steps.values().stream().filter(step -> step.ended == null).toList();
  }

  /** Runs of sub-agents that have not ended, with what each may spend. */
  public List<JournalEntry.ChildStarted> openChildren() {
    var open = new ArrayList<JournalEntry.ChildStarted>();
    for (var step : steps.values()) {
      if (step.ended == null && step.child != null) {
        open.add(step.child);
      }
    }
    return open;
  }

  /** Whether a result is longer than its excerpt, so that there is something to page through. */
  public boolean hasKeptResults() {
    return steps.values().stream().anyMatch(step -> step.keptLength > 0);
  }

  /** The step of another run that started this one, or null. */
  public JournalEntry.@Nullable StartedBy startedBy() {
    return startedBy;
  }

  /** The number of the last step, model calls included; 0 before the first. */
  public int lastStep() {
    return lastStep;
  }

  /** Turns that the model has answered. */
  public int turns() {
    return turns;
  }

  /** The turn whose model call began and has no end, or 0. */
  public int openTurn() {
    return openTurn;
  }

  /** Attempts of the turn that is to be answered next. */
  public int turnAttempts() {
    return turnAttempts;
  }

  /** Upstream requests of all model calls. */
  public int modelAttempts() {
    return modelAttempts;
  }

  public long tokens() {
    return tokens;
  }

  /** Nano-dollars as far as they are known. */
  public long costNanos() {
    return costNanos;
  }

  /** Whether something cost an unknown amount. */
  public boolean costUnknown() {
    return costUnknown;
  }

  /** The number of the last message of a person that was taken. */
  public long lastMessage() {
    return lastMessage;
  }

  public boolean cancelled() {
    return cancelled;
  }

  public boolean paused() {
    return paused;
  }

  /** The failure of the last model call, or null where the last one succeeded. */
  public JournalEntry.@Nullable TurnFailed lastFailure() {
    return lastFailure;
  }

  /** The model's last answer, or null. */
  public JournalEntry.@Nullable TurnEnded lastTurn() {
    return lastTurn;
  }

  /** How the run ended, or null. */
  public JournalEntry.@Nullable Ended ended() {
    return ended;
  }
}
