package dev.mainstay.simulator.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class simulated providers: one {@link dev.mainstay.simulator.Simulator} on a free
 * port for the class, as a parameter of its constructor, methods and lifecycle methods. Before
 * every test its script and its log are empty, then {@link Scripted} is set.
 *
 * <p>Tests of one class share the simulator, so that they must not run at the same time as each
 * other ({@code @Execution(SAME_THREAD)}, which is JUnit's default); different classes may.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SimulatorExtension.class)
public @interface SimulatedProviders {}
