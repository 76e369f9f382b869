package dev.mainstay.core.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares one setting: a component of the record that holds it. The reader, its checks, the JSON
 * Schema, {@code /api/config}, the name of the environment variable and the reference page all
 * follow from this declaration, so that a new setting is one line in one place.
 *
 * <p>A component that is a record is a section of its own. {@code List}, {@code Set} and {@code
 * Map<String, …>} hold texts, enum constants or sections.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /** Stands for "no text given" in the optional attributes. */
  String NONE = "\0";

  /** What the setting does, in one sentence. */
  String value();

  /** The name in the configuration; by default the component's in kebab-case. */
  String name() default "";

  /** The default as a user would write it; without it null, or an empty collection. */
  String byDefault() default NONE;

  /** What happens where there is no default, as the reference page shows it. */
  String otherwise() default "none";

  /** The least value allowed, as a user would write it. */
  String least() default NONE;

  /** The greatest value allowed, as a user would write it. */
  String most() default NONE;

  /** {@code bytes} makes a number a size, {@code USD} dollars that are held as nano-dollars. */
  String unit() default "";

  /** How the value is read, where the component's class alone does not say it. */
  @SuppressWarnings("rawtypes")
  Class<? extends ValueType> type() default ValueType.class;

  /** Whether the setting must be given. */
  boolean required() default false;

  /** Whether the section's settings stand beside the others of the section that holds it. */
  boolean inline() default false;

  /** Whether the section is null where it is not given, instead of all its defaults. */
  boolean optional() default false;

  /** Whether the owner of the file reads the section later, over values that it inherits. */
  boolean inherited() default false;

  /** Whether this is the name under which the section stands in its mapping. */
  boolean key() default false;

  /** The setting that a plain text stands for where the list or mapping allows a short form. */
  String shortFor() default "";
}
