package dev.mainstay.agent.embed;

import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.tool.MethodTools;
import dev.mainstay.agent.tool.ToolCaller.Call;
import dev.mainstay.wire.json.Tree;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A method that carries {@link ToolMethod}, as a tool. */
final class MethodTool {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final Object object;
  private final Method method;
  private final ToolMethod declared;

  private MethodTool(Object object, Method method, ToolMethod declared) {
    this.object = object;
    this.method = method;
    this.declared = declared;
  }

  /**
   * The tools of {@code object}.
   *
   * @throws IllegalArgumentException where it has none, or one that a model could not call
   */
  static List<MethodTool> of(Object object) {
    var tools = new ArrayList<MethodTool>();
    for (var method : object.getClass().getDeclaredMethods()) {
      var declared = method.getAnnotation(ToolMethod.class);
      if (declared != null) {
        if (declared.effect() == ToolDefinition.Effect.QUERYABLE) {
          throw new IllegalArgumentException(
              method + ": a Java method cannot be asked; use another effect");
        }
        method.setAccessible(true);
        tools.add(new MethodTool(object, method, declared));
      }
    }
    if (tools.isEmpty()) {
      throw new IllegalArgumentException(
          object.getClass().getName() + " has no method with @ToolMethod");
    }
    // Reflection gives methods in no order; the model's prompt cache wants one.
    tools.sort(Comparator.comparing(MethodTool::name));
    return tools;
  }

  String name() {
    return declared.name().isEmpty() ? method.getName() : declared.name();
  }

  ToolDefinition definition(String id) {
    var schema = ParameterSchema.object();
    for (var parameter : method.getParameters()) {
      if (parameter.getType() != Call.class) {
        ParameterSchema.add(
            schema,
            name(parameter),
            ParameterSchema.of(parameter.getParameterizedType()),
            parameter);
      }
    }
    return new ToolDefinition(
        name(),
        declared.value(),
        schema,
        new ToolDefinition.Binding.Method(id),
        declared.effect(),
        null,
        new ToolDefinition.CallPolicy(
            declared.timeoutMs(),
            ToolDefinition.Retry.DEFAULTS,
            new ToolDefinition.Approval(declared.approval(), null, 0),
            null));
  }

  private String name(Parameter parameter) {
    var param = parameter.getAnnotation(Param.class);
    if (param != null && !param.name().isEmpty()) {
      return param.name();
    }
    if (!parameter.isNamePresent()) {
      throw new IllegalArgumentException(
          method + ": compile with -parameters, or name each parameter: @Param(name = \"order\")");
    }
    return parameter.getName();
  }

  MethodTools.Method caller() {
    return call -> {
      var given = Tree.read(call.arguments());
      var arguments = new ArrayList<@Nullable Object>();
      for (var parameter : method.getParameters()) {
        arguments.add(
            parameter.getType() == Call.class
                ? call
                : argument(parameter, given.path(name(parameter))));
      }
      return invoke(arguments);
    };
  }

  private @Nullable Object argument(Parameter parameter, JsonNode given) {
    var param = parameter.getAnnotation(Param.class);
    if (given.isMissingNode() || given.isNull()) {
      if (param == null || param.required()) {
        throw new IllegalArgumentException("The argument " + name(parameter) + " is missing.");
      }
      return null;
    }
    var type = MAPPER.constructType(parameter.getParameterizedType());
    return MAPPER.readerFor(type).readValue(given);
  }

  private String invoke(List<@Nullable Object> arguments) throws Exception {
    try {
      var result = method.invoke(object, arguments.toArray());
      return switch (result) {
        case null -> "done";
        case String text -> text;
        case JsonNode json -> Tree.write(json);
        default -> MAPPER.writeValueAsString(result);
      };
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
