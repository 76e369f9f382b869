package dev.mainstay.agent.tool;

import dev.mainstay.agent.ToolDefinition;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Tools that are Java methods of this process. A run that another process carries on needs the same
 * methods there.
 *
 * @param methods by the id of their binding
 */
public record MethodTools(Map<String, Method> methods) implements ToolCaller {
  /** A process without methods. */
  public static final MethodTools NONE = new MethodTools(Map.of());

  public MethodTools {
    methods = Map.copyOf(methods);
  }

  /**
   * What carries a call out, on a thread of its own, which is interrupted when its time is over.
   */
  @FunctionalInterface
  public interface Method {
    /**
     * Carries the call out and returns its result as text.
     *
     * @throws JacksonException where the arguments do not fit the parameters
     */
    String call(Call call) throws Exception;
  }

  @Override
  public Outcome call(ToolDefinition tool, Call call) throws InterruptedException {
    var method =
        tool.binding() instanceof ToolDefinition.Binding.Method binding
            ? methods.get(binding.id())
            : null;
    if (method == null) {
      return new Outcome.Failed(
          "no_method", "this process has no method for the tool " + tool.name(), false);
    }
    var running = new FutureTask<>(() -> method.call(call));
    Thread.startVirtualThread(running);
    try {
      return new Outcome.Succeeded(running.get(tool.calls().timeoutMs(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return new Outcome.Failed(
          "timeout", "no result in " + tool.calls().timeoutMs() + " ms", null);
    } catch (ExecutionException e) {
      return failed(e.getCause());
    } finally {
      running.cancel(true);
    }
  }

  private static Outcome failed(@Nullable Throwable cause) {
    return switch (cause) {
      case null -> new Outcome.Failed("exception", "of no kind", null);
      case JacksonException e ->
          new Outcome.Refused("The arguments do not fit the tool: " + e.getOriginalMessage());
      case IllegalArgumentException e -> new Outcome.Refused(String.valueOf(e.getMessage()));
      default -> new Outcome.Failed("exception", String.valueOf(cause), null);
    };
  }

  @Override
  public Reconciled reconcile(ToolDefinition tool, Call call) {
    return new Reconciled.Unknown("a Java method cannot be asked");
  }
}
