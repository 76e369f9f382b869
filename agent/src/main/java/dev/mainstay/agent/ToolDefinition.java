package dev.mainstay.agent;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.mainstay.config.ToolCallPolicy;
import dev.mainstay.core.settings.Declaration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A tool of an agent.
 *
 * @param parameters the JSON Schema of its arguments
 * @param binding what carries a call out
 * @param effect what a call does to the world
 * @param reconcile the URL that tells whether a call happened, for {@link Effect#QUERYABLE}; else
 *     null
 * @param calls how it is called; in JSON its parts stand beside the others
 */
public record ToolDefinition(
    String name,
    String description,
    JsonNode parameters,
    Binding binding,
    Effect effect,
    @Nullable String reconcile,
    @JsonUnwrapped CallPolicy calls) {

  /** Another agent as a tool: the model gives it one text. */
  public static ToolDefinition ofAgent(String name, String description, AgentDefinition agent) {
    return SubAgents.tool(name, description, null, agent, Approval.NEVER);
  }

  /** The same tool with another description and other parameters. */
  public ToolDefinition describedAs(String newDescription, JsonNode newParameters) {
    return new ToolDefinition(
        name, newDescription, newParameters, binding, effect, reconcile, calls);
  }

  /** What a tool does to the world. */
  public enum Effect {
    /** Nothing: it only reads. */
    READ,
    /** Something; the same key again changes nothing more. */
    IDEMPOTENT,
    /** Something; whether a call happened can be asked. */
    QUERYABLE,
    /** Something, and it is never done a second time without a person. */
    UNSAFE
  }

  /** What carries a call of a tool out. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Binding.Http.class, name = "http"),
    @JsonSubTypes.Type(value = Binding.SubAgent.class, name = "agent"),
    @JsonSubTypes.Type(value = Binding.Mcp.class, name = "mcp"),
    @JsonSubTypes.Type(value = Binding.Method.class, name = "method")
  })
  public sealed interface Binding {
    /**
     * An HTTP request.
     *
     * @param headers the names of its headers; their values stay in the configuration
     */
    record Http(String method, String url, List<String> headers) implements Binding {
      public Http {
        // Journals of earlier versions have none.
        headers = headers == null ? List.of() : List.copyOf(headers);
      }

      public Http(String method, String url) {
        this(method, url, List.of());
      }
    }

    /** Another agent, as it was when the run was accepted. */
    record SubAgent(AgentDefinition agent) implements Binding {}

    /** A tool of an MCP server of the configuration. */
    record Mcp(String server, String tool) implements Binding {}

    /** A Java method of this process. */
    record Method(String id) implements Binding {}
  }

  /**
   * How a tool is called.
   *
   * @param timeoutMs how long one attempt may take
   * @param retry when a failed call is made again; never for {@link Effect#UNSAFE}
   * @param approval when a person must agree first
   * @param priceNanos nano-dollars a call, or null
   */
  public record CallPolicy(
      long timeoutMs, Retry retry, Approval approval, @Nullable Long priceNanos) {
    public static final CallPolicy DEFAULTS =
        within(Declaration.defaults(ToolCallPolicy.class).timeout().toMillis());

    /** The defaults with another time limit of an attempt. */
    public static CallPolicy within(long timeoutMs) {
      return new CallPolicy(timeoutMs, Retry.DEFAULTS, Approval.NEVER, null);
    }
  }

  /**
   * When a failed call is made again; {@link ToolCallPolicy.Retry} declares the defaults.
   *
   * @param attempts of one call, the first included
   * @param initialDelayMs before the second
   * @param factor by which the delay grows
   */
  public record Retry(int attempts, long initialDelayMs, double factor) {
    public static final Retry DEFAULTS = of(Declaration.defaults(ToolCallPolicy.Retry.class));

    static Retry of(ToolCallPolicy.Retry retry) {
      return new Retry(retry.attempts(), retry.initialDelay().toMillis(), retry.factor());
    }
  }

  /**
   * When a person must agree first.
   *
   * @param always for every call
   * @param when a JSON pointer to a number in the arguments, or null
   * @param above the number above which a person must agree
   */
  public record Approval(boolean always, @Nullable String when, double above) {
    public static final Approval NEVER = new Approval(false, null, 0);
  }
}
