package dev.mainstay.agent.embed;

import dev.mainstay.agent.ToolDefinition.Effect;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method a tool. Its parameters become the tool's JSON Schema; a parameter of type {@link
 * dev.mainstay.agent.tool.ToolCaller.Call} gets the run, the step and the idempotency key instead.
 * What it returns, as JSON or text, is the result. An {@link IllegalArgumentException} is an error
 * that the model reads; any other exception is a failure, handled by {@link #effect}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface ToolMethod {
  /** What the model reads about the tool. */
  String value();

  /** The tool's name; the method's by default. */
  String name() default "";

  /** What a call does to the world; unsafe by default. Queryable is for HTTP tools. */
  Effect effect() default Effect.UNSAFE;

  /** Whether a person must agree before each call. */
  boolean approval() default false;

  /** Milliseconds that one attempt may take; 30,000 by default. */
  long timeoutMs() default 30_000;
}
