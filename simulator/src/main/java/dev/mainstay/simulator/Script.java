package dev.mainstay.simulator;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the simulated providers do.
 *
 * @param models by {@code model}, {@code provider/model} (provider is the first part of the path
 *     before the API's own: {@code http://host/openai/v1}), {@code provider/*}, or {@code *} for
 *     all others. The most telling one counts: provider/model, model, provider/*, *. A model
 *     without one answers well
 * @param keys what a key gets whatever it asks for, by the key itself: a bad key, a key without
 *     money
 * @param knownOnly whether a model that is not among {@code models} is answered as unknown, in its
 *     dialect
 */
public record Script(Map<String, Model> models, Map<String, Step> keys, boolean knownOnly) {
  /** Everything goes well. */
  public static final Script EMPTY = new Script(Map.of(), Map.of(), false);

  /** Copies the maps. */
  public Script {
    models = Map.copyOf(models);
    keys = Map.copyOf(keys);
  }

  /** A script for one model: its steps in order, then good answers. */
  public static Script of(String model, Step... steps) {
    return new Script(Map.of(model, Model.of(steps)), Map.of(), false);
  }

  /** This one and another model's steps. */
  public Script and(String model, Step... steps) {
    var more = new HashMap<>(models);
    more.put(model, Model.of(steps));
    return new Script(more, keys, knownOnly);
  }

  /** This one and another model. */
  public Script and(String model, Model scripted) {
    var more = new HashMap<>(models);
    more.put(model, scripted);
    return new Script(more, keys, knownOnly);
  }

  /** This one and what a key always gets. */
  public Script andKey(String key, Step step) {
    var more = new HashMap<>(keys);
    more.put(key, step);
    return new Script(models, more, knownOnly);
  }

  /**
   * Reads a script from YAML (or JSON, which is YAML).
   *
   * @throws IllegalArgumentException with the path of the mistake, what was found and what is
   *     allowed
   */
  public static Script parse(String yaml) {
    return new ScriptReader().script(yaml);
  }

  /**
   * What the requests for one model get.
   *
   * @param steps one after the other
   * @param repeat whether it begins again after the last one; else good answers follow
   * @param limit enforced before any step is used up; null: none
   * @param flap good and bad times by the clock, from the moment the script was set; while it is
   *     bad no step is used up; null: none
   * @param continues what is done when the rest of an answer is asked for; a prefill that is
   *     refused uses up no step
   */
  public record Model(
      List<Step> steps,
      boolean repeat,
      @Nullable RateLimit limit,
      @Nullable Flap flap,
      Continues continues) {
    /** Copies the steps. */
    public Model {
      steps = List.copyOf(steps);
    }

    /** Steps in order, then good answers. */
    public static Model of(Step... steps) {
      return new Model(List.of(steps), false, null, null, Continues.EXACTLY);
    }

    /** The same, going on with answers that were begun in another way. */
    public Model continuing(Continues other) {
      return new Model(steps, repeat, limit, flap, other);
    }
  }

  /**
   * A rate limit for each key, over windows of 60 s (shorter for tests) that begin with a request.
   * What is beyond it gets the dialect's 429 with {@code retry-after}.
   *
   * @param requests most requests in a window; 0: any number
   * @param tokens most tokens in a window, counting 4 bytes of a request as one; 0: any number
   */
  public record RateLimit(int requests, int tokens, Duration window) {
    /** Checks the ranges. */
    public RateLimit {
      if (requests < 0 || tokens < 0)
        throw new IllegalArgumentException("a limit must not be negative");
      if (!window.isPositive()) throw new IllegalArgumentException("a window must be above 0");
    }
  }

  /**
   * Good for a time, then bad for a time, and so on; while bad, every request gets {@code step}.
   */
  public record Flap(Duration good, Duration bad, Step step) {
    /** Checks the ranges. */
    public Flap {
      if (good.isNegative() || !bad.isPositive()) {
        throw new IllegalArgumentException("good must not be negative and bad must be above 0");
      }
    }

    boolean badAt(long nanos) {
      return nanos % (good.toNanos() + bad.toNanos()) >= good.toNanos();
    }
  }
}
