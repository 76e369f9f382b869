package dev.mainstay.app.demo;

import dev.mainstay.app.demo.Received.Ending;
import dev.mainstay.simulator.Fault;
import dev.mainstay.simulator.Faults;
import dev.mainstay.simulator.Script;
import java.util.List;
import java.util.Objects;

/**
 * One thing that goes wrong, out of the simulator's catalogue.
 *
 * @param title what it is, in a few words
 * @param fault what the provider does
 * @param times to how many requests, one after the other
 * @param lasting whether it goes on for ever for a client that has one key and no other target
 * @param provider the name of the provider it happens at
 * @param stream whether the client asks for a stream
 * @param expected how it must end for a client of Mainstay
 */
record Scenario(
    String title,
    Faults.Known fault,
    int times,
    boolean lasting,
    String provider,
    boolean stream,
    Expected expected) {

  /** The model, at every provider. */
  static final String MODEL = "gpt-4o";

  private static final String FIRST = "openai";
  private static final String POOLED = "pooled";
  private static final String CROSSING = "crossing";
  private static final String CLAUDE = "claude-sonnet-4-5";
  private static final String BACKUP = "backup";
  private static final int FOR_EVER = 1000;

  /**
   * How a call must end.
   *
   * @param ending what the client gets
   * @param status with which status
   * @param attempts in how many attempts
   * @param target answered by which target; empty where none does
   */
  record Expected(Ending ending, int status, int attempts, String target) {}

  /** The name under which a client of Mainstay asks for the model. */
  String asked() {
    return switch (provider) {
      case POOLED -> "assistant-with-two-keys";
      case CROSSING -> "assistant-of-two-dialects";
      default -> "assistant";
    };
  }

  /** The target that it goes wrong at. */
  String target() {
    return provider + "/" + MODEL;
  }

  /** What the providers do while Mainstay asks. */
  Script script() {
    return Script.of(target(), fault.step().times(times));
  }

  /** What the same provider does to a client that asks it directly. */
  Script direct() {
    return Script.of(target(), fault.step().times(lasting ? FOR_EVER : times));
  }

  /** Whether nothing ever comes, so that only a client's own patience ends it. */
  boolean silent() {
    return fault.step().fault() instanceof Fault.Silence(var at, var lasting) && lasting == null;
  }

  static List<Scenario> all() {
    return List.of(
        passing("A rate limit with a stated wait", "openai-rate-limit"),
        new Scenario(
            "A spent quota, under the status of a rate limit",
            fault("openai-insufficient-quota"),
            1,
            true,
            POOLED,
            false,
            answered(2, POOLED)),
        new Scenario(
            "A provider that fails three times in a row",
            fault("openai-server-error"),
            3,
            false,
            FIRST,
            false,
            answered(4, BACKUP)),
        passing("A connection that is reset", "connection-reset"),
        new Scenario(
            "A request that is refused for good",
            fault("openai-bad-request"),
            1,
            true,
            FIRST,
            false,
            new Expected(Ending.ERROR, 400, 1, "")),
        passing("An error that calls itself 200", "openai-error-in-200"),
        new Scenario(
            "A stream that ends before it has said anything",
            fault("empty-stream"),
            1,
            false,
            FIRST,
            true,
            answered(2, FIRST)),
        new Scenario(
            "A stream that stops in the middle of its answer, as if that were all",
            fault("no-ending"),
            1,
            false,
            FIRST,
            true,
            answered(2, FIRST)),
        new Scenario(
            "An account without credit, and a fallback that speaks another dialect",
            fault("openai-billing-not-active"),
            1,
            true,
            CROSSING,
            true,
            new Expected(Ending.ANSWER, 200, 2, "claude/" + CLAUDE)),
        new Scenario(
            "A model that puts control tokens into a tool's name",
            fault("tool-name-control-tokens"),
            1,
            true,
            FIRST,
            true,
            answered(1, FIRST)),
        new Scenario(
            "A provider that is silent",
            fault("silence"),
            1,
            false,
            FIRST,
            true,
            answered(2, BACKUP)));
  }

  /** Goes wrong once, and is mended by asking the same target again. */
  private static Scenario passing(String title, String fault) {
    return new Scenario(title, fault(fault), 1, false, FIRST, false, answered(2, FIRST));
  }

  private static Expected answered(int attempts, String provider) {
    return new Expected(Ending.ANSWER, 200, attempts, provider + "/" + MODEL);
  }

  private static Faults.Known fault(String name) {
    return Objects.requireNonNull(Faults.byName().get(name), name);
  }
}
