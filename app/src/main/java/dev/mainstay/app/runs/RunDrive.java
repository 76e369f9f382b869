package dev.mainstay.app.runs;

import dev.mainstay.app.FailedException;
import dev.mainstay.app.UsageException;
import dev.mainstay.app.admin.AdminClient;
import dev.mainstay.app.admin.GatewayOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a person says to a run: {@code runs cancel}, {@code approve}, {@code resolve} and so on. */
abstract class RunDrive implements Runnable {
  @Spec CommandSpec spec;
  @Mixin GatewayOption gateway;

  @Parameters(index = "0", paramLabel = "ID", description = "The run's id.")
  String id;

  @Option(names = "--json", description = "Print one JSON object.")
  boolean json;

  /** What is said. */
  ObjectNode body() {
    return JsonMapper.shared().createObjectNode();
  }

  /** What is printed once it was taken. */
  abstract String done();

  @Override
  public void run() {
    var out = spec.commandLine().getOut();
    try (var client = gateway.usual()) {
      var path = "/api/runs/" + AdminClient.encoded(id) + "/" + spec.name();
      var answer = client.post(path, body().toString(), UUID.randomUUID().toString());
      if (answer == null) {
        throw new FailedException(RunsCommand.unknown(id));
      }
      out.println(json ? answer : done());
    }
    out.flush();
  }

  /** {@code mainstay runs cancel ID}. */
  @Command(name = "cancel", description = "Cancels a run. Its model call and its tools end.")
  static final class Cancel extends RunDrive {
    @Override
    String done() {
      return "Mainstay cancels the run %s.".formatted(id);
    }
  }

  /** {@code mainstay runs pause ID}. */
  @Command(name = "pause", description = "Pauses a run after its current step.")
  static final class Pause extends RunDrive {
    @Override
    String done() {
      return "The run %s pauses after its current step.".formatted(id);
    }
  }

  /** {@code mainstay runs resume ID}. */
  @Command(name = "resume", description = "Resumes a paused run.")
  static final class Resume extends RunDrive {
    @Override
    String done() {
      return "The run %s resumes.".formatted(id);
    }
  }

  /** {@code mainstay runs approve ID STEP}. */
  @Command(
      name = "approve",
      description = "Approves or refuses a tool call that waits for approval.")
  static final class Approve extends RunDrive {
    @Parameters(index = "1", paramLabel = "STEP", description = "The step, from 'runs show'.")
    private int step;

    @Option(
        names = "--refuse",
        description = "Refuse the call. Mainstay reports the refusal to the model.")
    private boolean refuse;

    @Override
    ObjectNode body() {
      return super.body().put("step", step).put("approved", !refuse);
    }

    @Override
    String done() {
      return "Step %d is %s.".formatted(step, refuse ? "refused" : "approved");
    }
  }

  /** {@code mainstay runs resolve ID STEP}. */
  @Command(
      name = "resolve",
      description = "Records whether the effect of a step in doubt happened.")
  static final class Resolve extends RunDrive {
    @Parameters(index = "1", paramLabel = "STEP", description = "The step, from 'runs show'.")
    private int step;

    @Parameters(
        index = "2",
        paramLabel = "happened|not",
        description = "Whether the effect happened.")
    private String what;

    @Option(names = "--result", paramLabel = "TEXT", description = "The result, for the model.")
    private String result;

    @Override
    ObjectNode body() {
      if (!what.equals("happened") && !what.equals("not")) {
        throw new UsageException("use 'happened' or 'not', not '%s'".formatted(what));
      }
      var body = super.body().put("step", step).put("happened", what.equals("happened"));
      return result == null ? body : body.put("result", result);
    }

    @Override
    String done() {
      return "Step %d is resolved.".formatted(step);
    }
  }

  /** {@code mainstay runs extend ID}. */
  @Command(name = "extend", description = "Adds to a run's budget.")
  static final class Extend extends RunDrive {
    @Option(
        names = "--budget",
        paramLabel = "JSON",
        required = true,
        description = "The amounts to add, such as '{\"usd\": 1, \"tokens\": 50000}'.")
    private String budget;

    @Override
    ObjectNode body() {
      try {
        JsonNode read = JsonMapper.shared().readTree(budget);
        if (read.isObject()) {
          var body = super.body();
          body.set("budget", read);
          return body;
        }
      } catch (JacksonException e) {
        // Said below.
      }
      throw new UsageException("--budget is not a JSON object: " + budget);
    }

    @Override
    String done() {
      return "The run %s has a larger budget.".formatted(id);
    }
  }

  /** {@code mainstay runs message ID TEXT}. */
  @Command(name = "message", description = "Sends a user message to the model of a run.")
  static final class Message extends RunDrive {
    @Parameters(index = "1", paramLabel = "TEXT", description = "The message to the model.")
    private String text;

    @Override
    ObjectNode body() {
      return super.body().put("text", text);
    }

    @Override
    String done() {
      return "The run %s reads it before its next turn.".formatted(id);
    }
  }

  /** A command whose answer must be there. */
  static JsonNode there(@Nullable JsonNode answer, String what) {
    if (answer == null) {
      throw new FailedException("there is no " + what);
    }
    return answer;
  }
}
