package dev.mainstay.simulator.junit;

import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link SimulatedProviders} does. Started when first needed, stopped with the class. */
public final class SimulatorExtension implements BeforeEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(SimulatorExtension.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    Simulator simulator = simulator(context);
    simulator.script(script(context));
    simulator.clearLog();
  }

  private static Script script(ExtensionContext context) {
    @Nullable Scripted scripted =
        AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), Scripted.class)
            .or(
                () ->
                    AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), Scripted.class))
            .orElse(null);
    return scripted == null ? Script.EMPTY : Script.parse(scripted.value());
  }

  private static Simulator simulator(ExtensionContext context) {
    // Of the outermost class, so that nested ones share it; the store closes it when that class is
    // done.
    ExtensionContext owner = context;
    while (owner.getParent().isPresent() && owner.getParent().get().getTestClass().isPresent()) {
      owner = owner.getParent().get();
    }
    return owner
        .getStore(NAMESPACE)
        .computeIfAbsent(Simulator.class, _ -> start(), Simulator.class);
  }

  private static Simulator start() {
    try {
      return Simulator.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Simulator.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return simulator(context);
  }
}
