package dev.mainstay.simulator;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the scripts stand: which step each model is at, and what its limits have left. May be used
 * from any thread.
 */
final class ScriptProgress {
  /** What a request gets: a step, or a limit that it ran into. */
  sealed interface Next {
    record Play(Step step) implements Next {}

    record Limited(boolean tokens, int limit, long waitMillis) implements Next {}

    record UnknownModel() implements Next {}
  }

  private final LongSupplier clock;
  private Script script = Script.EMPTY;
  private long since;
  private final Map<String, Progress> progress = new HashMap<>();
  private final Map<String, Window> windows = new HashMap<>();

  /** {@code clock}: nanoseconds, as {@link System#nanoTime}. */
  ScriptProgress(LongSupplier clock) {
    this.clock = clock;
    this.since = clock.getAsLong();
  }

  synchronized void set(Script newScript) {
    script = newScript;
    since = clock.getAsLong();
    progress.clear();
    windows.clear();
  }

  synchronized Script script() {
    return script;
  }

  /** What a key gets whatever it asks for, or null. */
  synchronized @Nullable Step keyed(String key) {
    return script.keys().get(key);
  }

  /** The next cue for a request of {@code tokens} tokens. */
  synchronized Next next(String provider, String model, String key, int tokens) {
    String name = name(provider, model);
    if (name == null) return script.knownOnly() ? new Next.UnknownModel() : new Next.Play(Step.OK);
    Script.Model found = script.models().getOrDefault(name, Script.Model.of());
    long now = clock.getAsLong();
    if (found.flap() != null && found.flap().badAt(now - since))
      return new Next.Play(found.flap().step());
    if (found.limit() != null) {
      String window = name + " " + model + " " + key;
      Next limited =
          windows.computeIfAbsent(window, _ -> new Window()).take(found.limit(), now, tokens);
      if (limited != null) return limited;
    }
    return new Next.Play(progress.computeIfAbsent(name, _ -> new Progress()).next(found));
  }

  /** How a model goes on with an answer that was begun. */
  synchronized Continues continues(String provider, String model) {
    String name = name(provider, model);
    Script.Model found = name == null ? null : script.models().get(name);
    return found == null ? Continues.EXACTLY : found.continues();
  }

  private @Nullable String name(String provider, String model) {
    for (String name : new String[] {provider + "/" + model, model, provider + "/*", "*"}) {
      if (script.models().containsKey(name)) return name;
    }
    return null;
  }

  private static final class Progress {
    private int step;
    private int taken;

    Step next(Script.Model model) {
      if (step == model.steps().size() && model.repeat()) step = 0;
      if (step >= model.steps().size()) return Step.OK;
      Step current = model.steps().get(step);
      if (++taken >= current.times()) {
        taken = 0;
        step++;
      }
      return current;
    }
  }

  /** A sliding window: what was let through, and when. */
  private static final class Window {
    private record Taken(long at, int tokens) {}

    private final ArrayDeque<Taken> taken = new ArrayDeque<>();
    private int tokens;

    @Nullable Next take(Script.RateLimit limit, long now, int asked) {
      long window = limit.window().toNanos();
      while (!taken.isEmpty() && now - taken.peek().at() >= window)
        tokens -= taken.remove().tokens();
      boolean requestsFull = limit.requests() > 0 && taken.size() >= limit.requests();
      boolean tokensFull =
          limit.tokens() > 0 && !taken.isEmpty() && tokens + asked > limit.tokens();
      if (requestsFull || tokensFull) {
        long wait = window - (now - taken.element().at());
        return new Next.Limited(
            !requestsFull,
            requestsFull ? limit.requests() : limit.tokens(),
            Math.max(1, wait / 1_000_000));
      }
      taken.add(new Taken(now, asked));
      tokens += asked;
      return null;
    }
  }
}
