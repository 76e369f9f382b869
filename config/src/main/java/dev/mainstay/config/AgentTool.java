package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A tool of an agent: an HTTP request, or another agent. */
public record AgentTool(
    @Setting(value = "The tool's name, as the model sees it.", required = true) String name,
    @Setting(value = "The description for the model.", byDefault = "") String description,
    @Setting("The JSON Schema of the arguments.") Map<String, Object> parameters,
    @Setting(value = "The HTTP request that runs the tool.", optional = true)
        @Nullable Request http,
    @Setting("The agent that runs the tool.") @Nullable String agent,
    @Setting(
            value =
                "The tool's effect on the world, which decides whether Mainstay may repeat a call.",
            byDefault = "unsafe")
        Agent.Effect effect,
    @Setting(
            value =
                "For `effect: queryable`: the request that tells whether a call happened. `{key}`"
                    + " in its URL stands for the call's key.",
            optional = true)
        @Nullable Request reconcile,
    @Setting(value = "How it is called.", inline = true) ToolCallPolicy calls) {

  /** An HTTP request. */
  public record Request(
      @Setting(value = "The method.", byDefault = "POST") Method method,
      @Setting(value = "The URL.", required = true) String url,
      @Setting(value = "The headers.", type = SecretTypes.HiddenText.class)
          Map<String, String> headers) {}

  /** The methods of requests. */
  public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE
  }
}
