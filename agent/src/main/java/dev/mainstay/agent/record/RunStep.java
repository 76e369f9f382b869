package dev.mainstay.agent.record;

import dev.mainstay.engine.model.Message;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.wire.json.Tree;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One step of a run: a model call or a tool call.
 *
 * @param step its number in the run, from 1
 * @param kind what it is
 * @param name the target that answered, or the tool; "" where that is unknown
 * @param status running, completed, failed, waiting or in_doubt
 * @param content what went in and came out
 * @param use what it took
 */
public record RunStep(int step, Kind kind, String name, String status, Content content, Use use) {

  /** What a step is. */
  public enum Kind {
    MODEL,
    TOOL;

    String label() {
      return this == MODEL ? "model" : "tool";
    }
  }

  /**
   * What went in and came out.
   *
   * @param turn of the run, from 1, or null where that is not known
   * @param call the call in the ledger that made or asked for the step, or null
   * @param toolCall the model's id of the tool call, or null
   * @param arguments of a tool call, or null
   * @param message what the model answered, in OpenAI Chat's form, or null
   * @param result of a tool call, or the error of a step that failed; null where there is none
   */
  public record Content(
      @Nullable Integer turn,
      @Nullable String call,
      @Nullable String toolCall,
      @Nullable JsonNode arguments,
      @Nullable JsonNode message,
      @Nullable String result) {}

  /**
   * What a step took.
   *
   * @param tokens in and out together
   * @param costNanos nano-dollars, or null where the price is unknown
   * @param startedAt or null where nobody said
   * @param endedAt or null where it has not ended, or nobody said
   */
  public record Use(
      int attempts,
      long tokens,
      @Nullable Long costNanos,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {
    /** A step that cost nothing known. */
    public static final Use NOTHING = new Use(0, 0, 0L, null, null);

    /** How long it took, or null. */
    public @Nullable Long ms() {
      return startedAt == null || endedAt == null
          ? null
          : (Long) (endedAt.toEpochMilli() - startedAt.toEpochMilli());
    }
  }

  /**
   * The step of a model call that is in the ledger.
   *
   * @param arguments of the tool calls in {@code answer}, or null where those are steps themselves
   */
  public static RunStep of(
      CallRecord call, int step, int turn, @Nullable JsonNode arguments, @Nullable Message answer) {
    var tokens = call.tokens();
    var verdict = call.verdict();
    return new RunStep(
        step,
        Kind.MODEL,
        call.target() == null ? String.valueOf(call.modelAsked()) : call.target(),
        verdict == null ? "completed" : "failed",
        new Content(
            turn, call.id(), null, arguments, answer == null ? null : answer.json(), verdict),
        new Use(
            call.attempts(),
            tokens == null ? 0 : tokens.total(),
            call.costNanos(),
            call.startedAt(),
            call.startedAt().plus(call.total())));
  }

  /** This step of a tool after what happened to it. */
  RunStep with(String newStatus, @Nullable String newResult, Use newUse) {
    return new RunStep(
        step,
        Kind.TOOL,
        name,
        newStatus,
        new Content(
            content.turn(),
            content.call(),
            content.toolCall(),
            content.arguments(),
            null,
            newResult),
        newUse);
  }

  /** As the API shows it. */
  public ObjectNode json() {
    var json = Tree.object();
    json.put("step", step);
    json.put("kind", kind.label());
    json.put("name", name);
    json.put("status", status);
    json.put("turn", content.turn());
    json.put("call", content.call());
    json.put("tool_call", content.toolCall());
    json.set("arguments", content.arguments());
    json.set("message", content.message());
    json.put("result", content.result());
    json.put("attempts", use.attempts());
    json.put("tokens", use.tokens());
    json.put("cost_usd", usd(use.costNanos()));
    json.put("started_at", text(use.startedAt()));
    json.put("ended_at", text(use.endedAt()));
    json.put("duration_ms", use.ms());
    return json;
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  /** Nano-dollars as dollars; null where the price is unknown. */
  public static @Nullable BigDecimal usd(@Nullable Long nanos) {
    return nanos == null ? null : BigDecimal.valueOf(nanos, 9).stripTrailingZeros();
  }
}
