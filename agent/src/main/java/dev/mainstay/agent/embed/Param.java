package dev.mainstay.agent.embed;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes a parameter of a {@link ToolMethod}, or a component of a record in one. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Param {
  /** What the model reads about it. */
  String value() default "";

  /** Its name; needed for parameters where the code is not compiled with {@code -parameters}. */
  String name() default "";

  /** Whether the model must give it; true by default. */
  boolean required() default true;
}
