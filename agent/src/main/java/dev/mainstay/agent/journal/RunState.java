package dev.mainstay.agent.journal;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.JournalEntry.Accepted;
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
  private @Nullable AgentDefinition definition;
  private boolean toolsListed;
  private AgentDefinition.@Nullable Limits limits;
  private final Conversation conversation = new Conversation();
  private final RunUsage usage = new RunUsage();
  private final ProgressGuard progress = new ProgressGuard();
  private final TurnAttempts attempts = new TurnAttempts();
  private final TreeMap<Integer, Step> steps = new TreeMap<>();
  private boolean sessionJoined;
  private boolean purged;
  private int lastStep;
  private int turns;
  private int beginnings;
  private int wakes;
  private int poorAnswers;
  private int misfits;
  private boolean lastAnswer;
  private final WarnedPercents warned = new WarnedPercents();
  private long lastMessage;
  private boolean cancelled;
  private boolean paused;
  private JournalEntry.@Nullable TurnEnded lastTurn;
  private JournalEntry.@Nullable Ended ended;
  private JournalEntry.@Nullable Forked forked;
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
    private boolean skipped;

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

    /** Whether it was not carried out because a step that it needs did not succeed. */
    public boolean isSkipped() {
      return skipped;
    }

    /** UTF-16 units of a result that the model sees an excerpt of; 0 where it sees it whole. */
    public int keptLength() {
      return keptLength;
    }

    /** What the model is told of it; "" before it has ended. */
    String result() {
      return ended == null ? "" : ended.result();
    }

    /** Whether only a person, or the end of another run, can carry it on. */
    public boolean waits() {
      return ended == null
          && (child != null || doubt != null || (askedApproval && approved == null));
    }

    /** How it ended, or null. */
    public JournalEntry.@Nullable StepEnded ended() {
      return ended;
    }
  }

  /** Folds {@code entry}. */
  public void apply(JournalEntry entry) {
    switch (entry) {
      case Accepted begin -> accepted(begin);
      case JournalEntry.WorkerBegan began -> {
        usage.began(began.at());
        beginnings++;
      }
      case JournalEntry.SessionJoined joined -> {
        sessionJoined = true;
        conversation.prepend(joined.history());
        wrote(joined.at());
      }
      case JournalEntry.ToolsListed listed -> {
        definition = definition().with(listed.tools());
        toolsListed = true;
        wrote(listed.at());
      }
      case JournalEntry.TurnStarted start -> {
        lastStep = start.step();
        attempts.started(start);
        usage.wrote(start.at());
      }
      case JournalEntry.TurnFailed failed -> {
        attempts.failed(failed);
        usage.model(failed.used());
        wrote(failed.at());
      }
      case JournalEntry.TurnEnded answered -> answered(answered);
      case JournalEntry.StepPlanned planned -> {
        lastStep = planned.step();
        steps.put(planned.step(), new Step(planned));
      }
      case JournalEntry.StepStarted start -> {
        var step = step(start.step());
        if (step.attempts == 0) {
          usage.toolCall();
        }
        step.attempts = start.attempt();
        step.open = true;
        usage.wrote(start.at());
      }
      case JournalEntry.StepFailed failed -> {
        var step = step(failed.step());
        step.open = false;
        step.failure = failed;
        usage.wrote(failed.at());
      }
      case JournalEntry.StepEnded done -> {
        var step = step(done.step());
        step.open = false;
        step.doubt = null;
        step.ended = done;
        usage.cost(done.costNanos());
        answerTurn(step.planned.turn());
        wrote(done.at());
      }
      case JournalEntry.StepSkipped skip -> {
        var step = step(skip.step());
        step.skipped = true;
        var words = "Skipped: it needs %s, which did not succeed.".formatted(skip.because());
        step.ended = new JournalEntry.StepEnded(skip.step(), false, words, null, skip.at());
        wrote(skip.at());
      }
      case JournalEntry.ApprovalAsked asked -> {
        step(asked.step()).askedApproval = true;
        wrote(asked.at());
      }
      case JournalEntry.ResultPart part -> step(part.step()).keptLength += part.text().length();
      case JournalEntry.ChildStarted start -> {
        var step = step(start.step());
        step.child = start;
        step.attempts = 1;
        usage.toolCall();
        wrote(start.at());
      }
      case JournalEntry.ChildAwaited waits -> wrote(waits.at());
      case JournalEntry.ChildEnded child -> usage.child(child.used());
      case JournalEntry.StartedBy by -> startedBy = by;
      case JournalEntry.Forked fork -> forked = fork;
      case JournalEntry.InDoubt doubt -> {
        var step = step(doubt.step());
        step.open = false;
        step.doubt = doubt.evidence();
        wrote(doubt.at());
      }
      case JournalEntry.Decided decided -> decided(decided);
      case JournalEntry.Warned warning -> warned.add(warning);
      case JournalEntry.Nudged nudge -> nudged(nudge);
      case JournalEntry.ToolsTaken taken -> progress.taken(taken.tools());
      case JournalEntry.Compacted compacted -> {
        conversation.replace(compacted.messages());
        attempts.compacted();
      }
      case JournalEntry.Purged _ -> purged = true;
      case JournalEntry.Woken woken -> {
        wakes++;
        usage.wrote(woken.at());
      }
      case JournalEntry.Ended end -> ended = end;
    }
  }

  private void accepted(Accepted begin) {
    accepted = begin;
    definition = begin.definition();
    limits = begin.definition().limits();
    conversation.prepend(begin.history());
    var input = begin.request().input();
    if (input != null) {
      conversation.say(Message.user(input));
    }
  }

  /** Something was done: the run neither spins nor hangs. */
  private void wrote(long at) {
    usage.wrote(at);
    beginnings = 0;
    wakes = 0;
  }

  private void answered(JournalEntry.TurnEnded answered) {
    turns = answered.turn();
    attempts.ended();
    lastTurn = answered;
    var message = new Message((ObjectNode) answered.message());
    conversation.answer(message);
    if (!message.toolCalls().isEmpty()) {
      poorAnswers = 0;
    }
    usage.model(answered.used());
    wrote(answered.at());
  }

  private void nudged(JournalEntry.Nudged nudge) {
    switch (nudge.why()) {
      case LOOP -> progress.nudged();
      case NO_PROGRESS -> progress.nudgedIdle();
      case EMPTY_ANSWER -> {
        poorAnswers++;
        conversation.dropAnswer();
      }
      case OUTPUT_SCHEMA -> misfits++;
      case LAST_ANSWER -> lastAnswer = true;
    }
    conversation.say(Message.user(nudge.text()));
  }

  private void decided(JournalEntry.Decided decided) {
    lastMessage = Math.max(lastMessage, decided.number());
    wrote(decided.at());
    switch (decided.kind()) {
      case "cancel" -> cancelled = true;
      case "pause" -> paused = true;
      case "resume" -> paused = false;
      case "approve" -> {
        var step = steps.get(Integer.parseInt(String.valueOf(decided.about())));
        // The first decision counts, whatever the store let through.
        if (step != null && step.approved == null) {
          step.approved = decided.content().path("approved").asBoolean(false);
        }
      }
      case "message" -> conversation.say(Message.user(decided.content().path("text").asString("")));
      case "extend" -> extended(decided);
      default -> {}
    }
  }

  private void extended(JournalEntry.Decided decided) {
    limits = LimitExtension.of(decided.content()).addTo(limits());
    warned.clear();
    if (lastAnswer) {
      lastAnswer = false;
      conversation.say(Message.user("A person has raised the limit. You may go on."));
    }
  }

  /**
   * Once every call of a turn has ended, its results go into the conversation, in the calls' order.
   */
  private void answerTurn(int turn) {
    if (turn == 0) {
      // A step of a plan: no model called it.
      return;
    }
    var ofTurn = steps.values().stream().filter(step -> step.planned.turn() == turn).toList();
    if (ofTurn.stream().anyMatch(step -> step.ended == null)) {
      return;
    }
    conversation.results(
        ofTurn.stream()
            .map(step -> Message.toolResult(step.planned.toolCall(), step.result()))
            .toList());
    progress.turn(ofTurn);
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

  /** The agent, with the tools of its MCP servers once they are known. */
  public AgentDefinition definition() {
    return definition == null ? accepted().definition() : definition;
  }

  /** Whether the tools of the agent's MCP servers are known, or it has none. */
  public boolean toolsListed() {
    return toolsListed || definition().mcp().isEmpty();
  }

  /** The definition's limits, and what persons have added to them. */
  public AgentDefinition.Limits limits() {
    return limits == null ? definition().limits() : limits;
  }

  /** The conversation that the next model call sends, without the instructions. */
  public List<Message> transcript() {
    return conversation.messages();
  }

  /** Whether what was said in it was taken out of the journal at the end. */
  public boolean isPurged() {
    return purged;
  }

  /** Whether the session's history is in the transcript. */
  public boolean sessionJoined() {
    return sessionJoined;
  }

  /** The replay that this run is, or null. */
  public JournalEntry.@Nullable Forked forked() {
    return forked;
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

  /** What the attempts of the turn that is to be answered next came to. */
  public TurnAttempts attempts() {
    return attempts;
  }

  /** What the run has used. */
  public RunUsage usage() {
    return usage;
  }

  /** Whether the run gets anywhere. */
  public ProgressGuard progress() {
    return progress;
  }

  /** Upstream requests of all model calls. */
  public int modelAttempts() {
    return usage.modelAttempts();
  }

  public long tokens() {
    return usage.tokens();
  }

  /** Nano-dollars as far as they are known. */
  public long costNanos() {
    return usage.costNanos();
  }

  /** Whether something cost an unknown amount. */
  public boolean costUnknown() {
    return usage.costUnknown();
  }

  /** How often a worker has begun since anything was done. */
  public int beginnings() {
    return beginnings;
  }

  /** How often the run was woken since anything was done. */
  public int wakes() {
    return wakes;
  }

  /** Answers in a row that say nothing, or never end. */
  public int poorAnswers() {
    return poorAnswers;
  }

  /** Answers that did not fit the agent's schema. */
  public int misfits() {
    return misfits;
  }

  /** Whether the model was told that its next answer is the last. */
  public boolean isLastAnswer() {
    return lastAnswer;
  }

  /** Whether the run has warned that {@code percent} of {@code what} is used. */
  public boolean hasWarned(String what, int percent) {
    return warned.contains(what, percent);
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

  /** The model's last answer, or null. */
  public JournalEntry.@Nullable TurnEnded lastTurn() {
    return lastTurn;
  }

  /** How the run ended, or null. */
  public JournalEntry.@Nullable Ended ended() {
    return ended;
  }
}
