package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.LossRefusedException;
import dev.mainstay.wire.translate.OnLoss;
import dev.mainstay.wire.translate.UntranslatableException;
import java.util.IdentityHashMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One request on its way from a dialect to another: where it goes, where each part of it stood, and
 * what was lost. One per request; not thread-safe.
 */
public final class TranslationContext {
  private final Dialect from;
  private final Dialect to;
  private final String model;
  private final boolean stream;
  private final OnLoss onLoss;
  private final SortedSet<String> degraded = new TreeSet<>();
  private final IdentityHashMap<Object, String> places = new IdentityHashMap<>();

  /**
   * @param model the target's model
   */
  public TranslationContext(Dialect from, Dialect to, String model, boolean stream, OnLoss onLoss) {
    this.from = from;
    this.to = to;
    this.model = model;
    this.stream = stream;
    this.onLoss = onLoss;
  }

  public Dialect from() {
    return from;
  }

  public Dialect to() {
    return to;
  }

  /** The target's model. */
  public String model() {
    return model;
  }

  /** Whether the target takes OpenAI's custom tools as such. */
  public boolean takesCustomTools() {
    return (to == Dialect.OPENAI_CHAT || to == Dialect.OPENAI_RESPONSES)
        && Models.openAiTakesCustomTools(model);
  }

  public boolean stream() {
    return stream;
  }

  public SortedSet<String> degraded() {
    return degraded;
  }

  /** Remembers where {@code part} stands, and gives it back. */
  public <T> T at(Node node, T part) {
    places.put(part, node.path());
    return part;
  }

  /** Remembers that {@code part} stands where {@code old} did, and gives it back. */
  public <T> T instead(Object old, T part) {
    places.put(part, place(old));
    return part;
  }

  /** Where {@code part} stood, or the empty path. */
  public String place(Object part) {
    return places.getOrDefault(part, "");
  }

  /** {@code part} is left out: says so, or refuses, as the row and the setting have it. */
  public void lose(Feature feature, Object part) {
    lose(feature, place(part));
  }

  /** What stands at {@code path} is left out: says so, or refuses. */
  public void lose(Feature feature, String path) {
    switch (feature.policy()) {
      case SILENT -> {}
      case REFUSE -> throw refuse(feature, path);
      case DROP -> {
        if (onLoss == OnLoss.REFUSE) {
          throw new LossRefusedException(
              feature.label(),
              path,
              "a target of "
                  + to.label()
                  + " is not told "
                  + feature.label()
                  + ", and losses are refused; leave it out, allow losses, or use a target of "
                  + from.label());
        }
        degraded.add(feature.label());
      }
    }
  }

  /** Why the request cannot be sent to this target at all. */
  public UntranslatableException refuse(Feature feature, String path) {
    return refuse(feature, path, feature.label() + " cannot be said");
  }

  /**
   * Why the request cannot be sent to this target at all.
   *
   * @param why what is the matter, as a clause without the target
   */
  public UntranslatableException refuse(Feature feature, String path, String why) {
    return new UntranslatableException(
        feature.label(),
        path,
        why
            + " to a target of "
            + to.label()
            + "; leave it out, or use a target of "
            + from.label());
  }
}
