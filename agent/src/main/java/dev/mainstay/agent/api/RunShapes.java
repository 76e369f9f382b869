package dev.mainstay.agent.api;

import dev.mainstay.http.Routes.Flat;
import dev.mainstay.http.Routes.Optional;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What {@code /api/runs} takes and gives, as its OpenAPI description has it: {@code costUsd} is
 * {@code cost_usd} in JSON. Records are as flat as their JSON. A {@link JsonNode} is any JSON.
 * {@code OpenApiTest} holds real answers against these.
 */
final class RunShapes {
  private RunShapes() {}

  /**
   * A run without its contents.
   *
   * @param reason {@code name: words}, or null while it goes on
   * @param totalMs from acceptance to the end, null while it goes on
   */
  record Run(
      @Flat RunOrigin origin,
      Status status,
      @Nullable String reason,
      @Nullable String definitionHash,
      @Nullable String replayOf,
      Instant acceptedAt,
      @Nullable Instant endedAt,
      @Flat RunUsage usage,
      @Nullable Long totalMs) {}

  /**
   * What a run is from its acceptance on.
   *
   * @param kind {@code agent}: Mainstay carries it out; {@code client}: calls that a client grouped
   */
  record RunOrigin(
      String run,
      String kind,
      @Nullable String agent,
      @Nullable String client,
      @Nullable String parent,
      @Nullable String session,
      int priority,
      Map<String, String> labels) {}

  /**
   * What a run has used.
   *
   * @param costUsd null where a price is unknown
   */
  record RunUsage(int turns, int steps, int attempts, long tokens, @Nullable BigDecimal costUsd) {}

  enum Status {
    QUEUED,
    RUNNING,
    WAITING,
    COMPLETED,
    FAILED,
    CANCELLED,
    DEAD_LETTER,
    IN_DOUBT
  }

  /** A page of runs; {@code next} is the cursor of the next page, null on the last. */
  record RunPage(List<Run> runs, @Nullable String next) {}

  /**
   * A run's contents, beside what {@link Run} has.
   *
   * @param output the answer: a text, or JSON where the agent has an output schema; null until then
   * @param transcript messages in OpenAI Chat's form
   * @param bodiesMissing whether bodies of a client's calls are not kept
   */
  record RunContents(
      @Nullable String input,
      @Nullable JsonNode output,
      @Nullable RunFailure failure,
      List<Waiting> waitsFor,
      @Optional boolean paused,
      List<JsonNode> transcript,
      List<Step> toolCalls,
      @Optional boolean bodiesMissing) {}

  /** A run with its contents. */
  record WholeRun(@Flat Run run, @Flat RunContents contents) {}

  /** A run that was given up on, with all its steps as evidence. */
  record DeadRun(
      @Flat Run run,
      @Flat RunContents contents,
      String id,
      String state,
      @Nullable String verdict,
      @Nullable String redrivenAs,
      List<Step> evidence) {}

  /** What decided that a run failed: a call, or a tool. */
  record RunFailure(
      int step,
      @Optional @Nullable String call,
      @Optional String tool,
      @Optional String class_,
      @Optional String kind,
      @Optional @Nullable String message) {}

  /**
   * A decision that a run waits for.
   *
   * @param approve the arguments that a person is to approve
   * @param resolve what is known of an effect that may have happened
   */
  record Waiting(int step, String tool, @Optional JsonNode approve, @Optional String resolve) {}

  /**
   * A step of a run.
   *
   * @param kind {@code model} or {@code tool}
   * @param name the target that answered, or the tool
   * @param status running, completed, failed, waiting or in_doubt
   */
  record Step(
      int step,
      String kind,
      String name,
      String status,
      @Flat StepContents contents,
      @Flat StepUsage usage,
      @Flat StepTimes times) {}

  /**
   * What a step was asked, and what came back.
   *
   * @param call the call in the ledger that made the step or asked for it
   * @param toolCall the model's id of the tool call
   * @param message what the model answered
   * @param result of a tool call, or the error of a step that failed
   */
  record StepContents(
      @Nullable Integer turn,
      @Nullable String call,
      @Nullable String toolCall,
      @Nullable JsonNode arguments,
      @Nullable JsonNode message,
      @Nullable String result) {}

  /**
   * What a step has used.
   *
   * @param costUsd null where a price is unknown
   */
  record StepUsage(int attempts, long tokens, @Nullable BigDecimal costUsd) {}

  /** When a step was carried out. */
  record StepTimes(
      @Nullable Instant startedAt, @Nullable Instant endedAt, @Nullable Long durationMs) {}

  /** A page of steps; {@code next} is the cursor of the next page, null on the last. */
  record Steps(String run, List<Step> steps, @Nullable String next) {}

  /**
   * A run to start: {@code input}, or {@code plan}.
   *
   * @param priority 0 to 9
   * @param labels texts; a number or a boolean is taken as its text
   */
  record NewRun(
      String agent,
      @Nullable String input,
      @Nullable List<NewPlanStep> plan,
      @Nullable String session,
      @Nullable Integer priority,
      @Nullable Map<String, JsonNode> labels,
      @Nullable String notify_) {}

  /** A step of a plan: a tool's, or an agent's. */
  record NewPlanStep(
      String id,
      @Nullable String tool,
      @Nullable String agent,
      @Nullable Map<String, JsonNode> arguments,
      @Nullable List<String> needs) {}

  record StartedRun(String run, Status status) {}

  record Approval(int step, boolean approved) {}

  record Resolution(int step, boolean happened, @Nullable JsonNode result) {}

  /** More of a run's limits, as the configuration names them. */
  record Extension(Map<String, JsonNode> budget) {}

  record PersonsMessage(String text) {}

  /** What a person says beside a decision, kept with it. */
  record Remark(@Flat Map<String, JsonNode> said) {}

  /** A decision that was taken. */
  record Taken(String run, long number) {}

  /** An event that an agent outside Mainstay reports. */
  record Report(
      ReportType type,
      @Nullable String id,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      @Flat Map<String, JsonNode> more) {}

  enum ReportType {
    TOOL,
    MEMORY,
    NOTE,
    END
  }

  record ReportTaken(String run, String id) {}

  record Memory(String run, List<MemorySnapshot> memory, @Nullable String next) {}

  record MemorySnapshot(String id, @Optional Instant at, JsonNode memory) {}

  record NewReplay(
      @Nullable Integer fromStep,
      @Nullable Changed set,
      @Nullable ReplayMode mode,
      @Nullable Integer samples,
      @Nullable ReplayEffects effects) {}

  enum ReplayMode {
    VERIFY,
    FORK
  }

  enum ReplayEffects {
    RECORDED,
    LIVE
  }

  /**
   * What a replay of a run changes.
   *
   * @param tools by name; null takes the tool away
   */
  record Changed(
      @Nullable String model,
      @Nullable String instructions,
      @Nullable Double temperature,
      @Nullable Map<String, @Nullable ChangedTool> tools) {}

  record ChangedTool(@Nullable String description, @Nullable Map<String, JsonNode> parameters) {}

  record NewCallReplay(@Nullable ChangedCall set) {}

  /** What a replay of a call changes: fields of its request in OpenAI Chat's form. */
  record ChangedCall(
      @Nullable String model,
      @Nullable String instructions,
      @Nullable List<ChatMessage> messages,
      @Nullable List<ChatTool> tools,
      @Nullable Double temperature,
      @Nullable Double topP,
      @Nullable Integer maxTokens,
      @Nullable Integer maxCompletionTokens,
      @Flat Map<String, JsonNode> more) {}

  record ChatMessage(String role, @Flat Map<String, JsonNode> more) {}

  record ChatTool(ChatFunction function, @Flat Map<String, JsonNode> more) {}

  record ChatFunction(
      String name,
      @Nullable String description,
      @Nullable Map<String, JsonNode> parameters,
      @Flat Map<String, JsonNode> more) {}

  /** A call that was repeated, and how its answer differs. */
  record ReplayedCall(String replayOf, @Nullable String call, Step answer, Difference diff) {}

  /**
   * A run that was forked.
   *
   * @param run the first of {@code runs}
   */
  record ForkedRun(
      String run,
      Status status,
      List<String> runs,
      ReplayMode mode,
      String replayOf,
      int fromStep) {}

  /**
   * A run whose requests were built again from its journal.
   *
   * @param requests that were built and compared
   */
  record VerifiedRun(
      String run, ReplayMode mode, boolean equal, int requests, @Nullable Divergence divergence) {}

  /** The first request that differs from the one that was sent. */
  record Divergence(
      int step, int turn, String recordedHash, String builtHash, @Nullable String diff) {}

  /** Two runs, step by step. */
  record Difference(
      String a,
      String b,
      @Nullable JsonNode firstDifference,
      List<JsonNode> steps,
      String text,
      JsonNode totals) {}

  record RedrivenRun(String deadLetter, String run) {}

  record DiscardedRun(String deadLetter, String state) {}
}
