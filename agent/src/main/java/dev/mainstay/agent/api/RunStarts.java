package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.Submitted;
import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.config.HttpUrl;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.wire.json.Tree;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** {@code POST /api/runs}. Blocks on the store. Thread-safe. */
final class RunStarts {
  private final AgentRuntime runtime;
  private final RunReader own;
  private final BiPredicate<String, String> allowed;

  RunStarts(AgentRuntime runtime, RunReader own, BiPredicate<String, String> allowed) {
    this.runtime = runtime;
    this.own = own;
    this.allowed = allowed;
  }

  Reply start(byte[] body, @Nullable String key, Caller caller) {
    var json = Reply.object(body);
    var agent = Tree.text(json, "agent");
    var input = json.path("input");
    var plan = plan(json, caller);
    if (plan.isEmpty() && !input.isString()) {
      throw new Refused(400, "missing_input", "The field input is missing: a text, or a plan.");
    }
    if (!plan.isEmpty() && !input.isMissingNode()) {
      throw new Refused(400, "invalid_plan", "plan: beside input; a run has one of them");
    }
    if (caller.client() != null && !allowed.test(caller.client(), agent)) {
      throw new Refused(403, "agent_not_allowed", "This client may not start this agent.");
    }
    var labels = new LinkedHashMap<String, String>();
    for (var label : json.path("labels").properties()) {
      if (!label.getValue().isValueNode() || label.getValue().isNull()) {
        throw new Refused(
                400, "invalid_labels", "The label %s is not a text.".formatted(label.getKey()))
            .allowing(List.of("a text"));
      }
      labels.put(label.getKey(), label.getValue().asString());
    }
    int priority = json.path("priority").asInt(0);
    if (priority < 0 || priority > 9) {
      throw new Refused(
              400, "invalid_priority", "The field priority is %d, not 0 to 9.".formatted(priority))
          .allowing(List.of("0 to 9"));
    }
    var request =
        new JournalEntry.RunRequest(
            agent,
            input.stringValue(null),
            plan,
            caller.client() == null ? "" : caller.client(),
            json.path("session").stringValue(null),
            priority,
            labels,
            notifyUrl(json.path("notify")));
    return switch (join(runtime.submit(request, key, hash(body)))) {
      case Submitted.Accepted accepted ->
          new Reply(
              accepted.fresh() ? 202 : 200,
              Tree.object().put("run", accepted.run()).put("status", status(accepted.run())));
      case Submitted.OtherRequest _ -> throw otherRequest();
      case Submitted.NoAgent none ->
          throw new Refused(
                  404,
                  "unknown_agent",
                  "There is no agent named %s. Agents: %s."
                      .formatted(agent, String.join(", ", none.agents())))
              .allowing(none.agents());
      case Submitted.NoPlan none -> throw new Refused(400, "invalid_plan", none.mistake());
      case Submitted.Full full -> throw full(full.queued());
    };
  }

  private List<JournalEntry.PlanStep> plan(JsonNode json, Caller caller) {
    if (!json.has("plan")) {
      return List.of();
    }
    try {
      var plan = PlanReader.read(json.path("plan"));
      for (var step : plan) {
        var agent = step.agent();
        if (agent != null && caller.client() != null && !allowed.test(caller.client(), agent)) {
          throw new Refused(403, "agent_not_allowed", "This client may not start this agent.");
        }
      }
      return plan;
    } catch (PlanReader.MistakeException e) {
      throw new Refused(400, "invalid_plan", String.valueOf(e.getMessage()));
    }
  }

  static Refused otherRequest() {
    return new Refused(
        409,
        "idempotency_key_reused",
        "This idempotency key belongs to another request. Use a new key for a new request.");
  }

  static Refused full(long queued) {
    return new Refused(
        503, "queue_full", "%d runs already wait. Try again later.".formatted(queued));
  }

  private String status(String id) {
    var run = own.find(id);
    return run == null ? "queued" : RunJson.status(run);
  }

  private static String hash(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static @Nullable String notifyUrl(JsonNode given) {
    if (given.isMissingNode() || given.isNull()) {
      return null;
    }
    var url = given.stringValue("");
    if (HttpUrl.parse(url) == null) {
      throw new Refused(
          400,
          "invalid_notify",
          "The field notify must be a URL such as https://host/path, without a user.");
    }
    return url.strip();
  }
}
