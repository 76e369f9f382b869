package dev.mainstay.agent.journal;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One entry of a run's journal. Entries are only ever appended; what a run does next follows from
 * them alone. Times are milliseconds since 1970, durations milliseconds, money nano-dollars.
 */
public sealed interface JournalEntry {

  /**
   * The run was accepted; always the first entry.
   *
   * @param definition the agent as it was then
   * @param definitionHash identifies the definition
   * @param request what was asked for
   * @param history the transcript that the run goes on from: its session's, or empty
   */
  record Accepted(
      AgentDefinition definition,
      String definitionHash,
      RunRequest request,
      List<JsonNode> history,
      long at)
      implements JournalEntry {}

  /** A worker has leased the run and carries it on: after a start, a wait, a stop or a crash. */
  record WorkerBegan(long at) implements JournalEntry {}

  /**
   * The run goes on from its session's last completed run.
   *
   * @param run that run, or null where the session has none
   * @param history its transcript
   */
  record SessionJoined(@Nullable String run, List<JsonNode> history, long at)
      implements JournalEntry {}

  /**
   * The tools that the agent's MCP servers had when the run began: they are its tools to the end.
   *
   * @param problems why servers could not be asked, by server
   */
  record ToolsListed(List<ToolDefinition> tools, Map<String, String> problems, long at)
      implements JournalEntry {}

  /**
   * A model call begins.
   *
   * @param step its number in the run, from 1
   * @param turn its turn, from 1
   * @param attempt of this turn, from 1
   * @param requestHash identifies what the model is asked
   * @param why what made another attempt necessary, in words; null for the first
   */
  record TurnStarted(
      int step, int turn, int attempt, String requestHash, @Nullable String why, long at)
      implements JournalEntry {}

  /**
   * A model call failed. The session is as it was before the call.
   *
   * @param broke whether a part of the answer had arrived: the turn may be asked again
   * @param restarts broken streams that were asked again within the call
   * @param partial what had arrived, as far as it is kept; evidence, never a part of the transcript
   */
  record TurnFailed(
      int turn,
      int attempt,
      CallFailure failure,
      Used used,
      boolean broke,
      int restarts,
      String partial,
      long at)
      implements JournalEntry {}

  /**
   * The model answered. Tool calls of the answer follow as {@link StepPlanned} in the same write.
   *
   * @param message the answer, as it goes back into the conversation
   * @param ending why the model stopped
   */
  record TurnEnded(int turn, String callId, JsonNode message, String ending, Used used, long at)
      implements JournalEntry {}

  /**
   * A tool call of the model, numbered before it starts.
   *
   * @param toolCall the model's id for the call
   * @param arguments as canonical JSON
   * @param key the idempotency key; the same for every attempt
   */
  record StepPlanned(int step, int turn, String toolCall, String tool, String arguments, String key)
      implements JournalEntry {}

  /** An attempt of a tool call begins: from here on its effect may have happened. */
  record StepStarted(int step, int attempt, long at) implements JournalEntry {}

  /**
   * An attempt of a tool call failed, and another may follow.
   *
   * @param happened whether the effect happened, or null where that is unknown
   */
  record StepFailed(
      int step, int attempt, String kind, String message, @Nullable Boolean happened, long at)
      implements JournalEntry {}

  /**
   * A tool call has ended and is never carried out again.
   *
   * @param ok whether it succeeded; otherwise {@code result} is the error that the model is told
   */
  record StepEnded(int step, boolean ok, String result, @Nullable Long costNanos, long at)
      implements JournalEntry {}

  /**
   * A step of a plan is not carried out.
   *
   * @param because the id of the step that it needs and that did not succeed
   */
  record StepSkipped(int step, String because, long at) implements JournalEntry {}

  /**
   * A part of a result that is too long for the model to see at once. All parts stand in the same
   * write as the step's {@link StepEnded}, whose result is an excerpt.
   *
   * @param offset where it begins in the result, in UTF-16 units
   */
  record ResultPart(int step, int offset, String text) implements JournalEntry {
    /** The most UTF-16 units of a part. */
    public static final int LENGTH = 1 << 17;
  }

  /**
   * A step is carried out by a run of its own, a sub-agent's.
   *
   * @param run its id, which follows from the step's key
   * @param costNanos what it may spend of this run's budget
   * @param tokens likewise
   */
  record ChildStarted(int step, String run, long costNanos, long tokens, long at)
      implements JournalEntry {}

  /** The run waits for runs of sub-agents, and gives its worker back. */
  record ChildAwaited(long at) implements JournalEntry {}

  /** The run of a sub-agent has ended; stands in the same write as its step's end. */
  record ChildEnded(int step, String status, Used used, long at) implements JournalEntry {}

  /** Always the second entry of a sub-agent's run: the step that started it. */
  record StartedBy(String run, int step) implements JournalEntry {}

  /**
   * The run is a replay of another: its entries up to {@code step} come from that one's journal.
   *
   * @param run the other run
   * @param step the first that is live
   * @param effectsLive whether tools that change the world are called; else they answer from {@code
   *     recorded}
   * @param temperature of all model calls, or null for the model's own
   */
  record Forked(
      String run,
      int step,
      boolean effectsLive,
      @Nullable Double temperature,
      List<Recorded> recorded,
      long at)
      implements JournalEntry {
    /** What a tool that changes the world answered in the other run. */
    public record Recorded(int step, String tool, String arguments, boolean ok, String result) {}
  }

  /** A person must agree before the tool call starts. */
  record ApprovalAsked(int step, long at) implements JournalEntry {}

  /**
   * Whether the effect of a tool call happened is unknown, and only a person can tell.
   *
   * @param evidence what is known, in words
   */
  record InDoubt(int step, String evidence, long at) implements JournalEntry {}

  /**
   * A person's message was taken.
   *
   * @param number of the message in the store
   * @param kind cancel, approve, resolve, pause, resume, extend or message
   * @param about the step that it decides, or null
   */
  record Decided(
      long number, String kind, @Nullable String about, JsonNode content, String by, long at)
      implements JournalEntry {}

  /**
   * A limit comes near.
   *
   * @param what the reason for which the run would end, for example {@code money-budget}
   * @param percent of it that is used
   */
  record Warned(String what, int percent, String words, long at) implements JournalEntry {}

  /**
   * Mainstay told the model something that no person said.
   *
   * @param why loop, no-progress, empty-answer, output-schema, or the limit that leaves room for
   *     one more answer alone
   */
  record Nudged(Why why, String text, long at) implements JournalEntry {
    /** Why the model is told something. */
    public enum Why {
      LOOP,
      NO_PROGRESS,
      EMPTY_ANSWER,
      OUTPUT_SCHEMA,
      LAST_ANSWER
    }
  }

  /** From here on calls of {@code tools} are refused: the run went round in circles with them. */
  record ToolsTaken(List<String> tools, long at) implements JournalEntry {}

  /**
   * The conversation did not fit the model's context and was shortened.
   *
   * @param messages the whole conversation from here on
   */
  record Compacted(long bytesBefore, long bytesAfter, List<JsonNode> messages, long at)
      implements JournalEntry {}

  /** The run had written nothing for too long; its step was interrupted and begins again. */
  record Woken(long at) implements JournalEntry {}

  /**
   * The run has ended.
   *
   * @param status completed, failed, cancelled or dead_letter
   * @param reason as docs/agents.md names it, for example {@code answered}
   * @param words the reason in words
   * @param output the answer, or null
   */
  record Ended(String status, String reason, String words, @Nullable JsonNode output, long at)
      implements JournalEntry {}

  /** Bodies are not to be kept: Mainstay took what anyone said out of this ended run's journal. */
  record Purged(long at) implements JournalEntry {}

  /**
   * What was asked for.
   *
   * @param input null where there is a plan
   * @param client the client's name, or ""
   * @param session the session that the run continues, or null
   * @param notifyUrl where a signed POST goes at the end, or null
   */
  record RunRequest(
      String agent,
      @Nullable String input,
      List<PlanStep> plan,
      String client,
      @Nullable String session,
      int priority,
      Map<String, String> labels,
      @Nullable String notifyUrl) {}

  /**
   * A step of a plan: a call of a tool, or a run of an agent.
   *
   * @param needs the ids of steps that must have succeeded before
   */
  record PlanStep(
      String id,
      @Nullable String tool,
      @Nullable String agent,
      @Nullable JsonNode arguments,
      List<String> needs) {}

  /**
   * What a model call used.
   *
   * @param costNanos null where the price is unknown
   */
  record Used(int attempts, long tokens, @Nullable Long costNanos) {
    public static final Used NOTHING = new Used(0, 0, 0L);
  }
}
