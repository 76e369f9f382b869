package dev.mainstay.agent.journal;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.JournalEntry.Accepted;
import dev.mainstay.engine.model.Message;
import java.util.List;
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
  private final ToolSteps steps = new ToolSteps();
  private RunSummary summary = RunSummary.NONE;
  private boolean sessionJoined;
  private boolean purged;
  private int beginnings;
  private int wakes;
  private final AnswerNudges answers = new AnswerNudges();
  private final WarnedPercents warned = new WarnedPercents();
  private long lastMessage;
  private boolean cancelled;
  private boolean paused;
  private JournalEntry.@Nullable TurnEnded lastTurn;
  private JournalEntry.@Nullable Ended ended;
  private JournalEntry.@Nullable Forked forked;
  private JournalEntry.@Nullable StartedBy startedBy;

  /** Folds {@code entry}. */
  public void apply(JournalEntry entry) {
    summary = summary.with(entry);
    usage.all(summary);
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
        attempts.started(start);
        usage.wrote(start.at());
      }
      case JournalEntry.TurnFailed failed -> {
        attempts.failed(failed);
        usage.model(failed.used());
        wrote(failed.at());
      }
      case JournalEntry.TurnEnded answered -> answered(answered);
      case JournalEntry.StepPlanned planned -> steps.planned(planned);
      case JournalEntry.StepStarted start -> {
        if (steps.started(start)) {
          usage.toolCall();
        }
        usage.wrote(start.at());
      }
      case JournalEntry.StepFailed failed -> {
        steps.failed(failed);
        usage.wrote(failed.at());
      }
      case JournalEntry.StepEnded done -> {
        answerTurn(steps.ended(done));
        wrote(done.at());
      }
      case JournalEntry.StepSkipped skip -> {
        steps.skipped(skip);
        wrote(skip.at());
      }
      case JournalEntry.ApprovalAsked asked -> {
        steps.asked(asked);
        wrote(asked.at());
      }
      case JournalEntry.ResultPart part -> steps.kept(part);
      case JournalEntry.ChildStarted start -> {
        steps.childStarted(start);
        usage.toolCall();
        wrote(start.at());
      }
      case JournalEntry.ChildAwaited waits -> wrote(waits.at());
      case JournalEntry.ChildEnded _ -> {}
      case JournalEntry.StartedBy by -> startedBy = by;
      case JournalEntry.Forked fork -> forked = fork;
      case JournalEntry.InDoubt doubt -> {
        steps.doubted(doubt);
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
    attempts.ended();
    lastTurn = answered;
    var message = new Message((ObjectNode) answered.message());
    conversation.answer(message);
    if (!message.toolCalls().isEmpty()) {
      answers.usable();
    }
    usage.model(answered.used());
    wrote(answered.at());
  }

  private void nudged(JournalEntry.Nudged nudge) {
    switch (nudge.why()) {
      case LOOP -> progress.nudged();
      case NO_PROGRESS -> progress.nudgedIdle();
      case EMPTY_ANSWER -> {
        answers.poor++;
        conversation.dropAnswer();
      }
      case OUTPUT_SCHEMA -> answers.misfits++;
      case LAST_ANSWER -> answers.last = true;
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
      case "approve" ->
          steps.decided(
              Integer.parseInt(String.valueOf(decided.about())),
              decided.content().path("approved").asBoolean(false));
      case "message" -> conversation.say(Message.user(decided.content().path("text").asString("")));
      case "extend" -> extended(decided);
      default -> {}
    }
  }

  private void extended(JournalEntry.Decided decided) {
    limits = LimitExtension.of(decided.content()).addTo(limits());
    warned.clear();
    if (answers.last) {
      answers.last = false;
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
    var ofTurn = steps.ofTurn(turn);
    if (ofTurn.stream().anyMatch(step -> step.ended() == null)) {
      return;
    }
    conversation.results(
        ofTurn.stream()
            .map(step -> Message.toolResult(step.planned().toolCall(), step.result()))
            .toList());
    progress.turn(ofTurn);
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

  /** Its tool calls. */
  public ToolSteps steps() {
    return steps;
  }

  /** The step of another run that started this one, or null. */
  public JournalEntry.@Nullable StartedBy startedBy() {
    return startedBy;
  }

  /** What lists show of the run. */
  public RunSummary summary() {
    return summary;
  }

  /** The number of the last step, model calls included; 0 before the first. */
  public int lastStep() {
    return summary.steps();
  }

  /** Turns that the model has answered. */
  public int turns() {
    return summary.turns();
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

  /** How often a worker has begun since anything was done. */
  public int beginnings() {
    return beginnings;
  }

  /** How often the run was woken since anything was done. */
  public int wakes() {
    return wakes;
  }

  /** What the model was told of its answers. */
  public AnswerNudges answers() {
    return answers;
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
