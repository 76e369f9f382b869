package dev.mainstay.simulator.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The script for one test, or on the class for each that has none of its own. */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Scripted {
  /** The script in YAML, as {@link dev.mainstay.simulator.Script#parse} reads it. */
  String value();
}
