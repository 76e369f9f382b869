package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Carries one dialect's seal of its reasoning through another dialect's client: in the place where
 * that dialect keeps its own signature or encrypted reasoning, which clients send back unread. What
 * is carried is base64, so that it fits wherever a signature is bytes, and begins with {@link
 * #MARK}, so that it is recognised when it comes back and never taken to a provider as its own.
 */
public final class Seals {
  /** What everything carried begins with: {@code mainstay:} in base64. */
  public static final String MARK = "bWFpbnN0YXk6";

  private static final String NONE = MARK + base64("{}");

  private Seals() {}

  /**
   * What was carried.
   *
   * @param of the dialect whose seal it is, or null for reasoning that came without any
   * @param value the seal, null together with {@code of}
   * @param ofCall whether it seals the tool call that follows
   */
  public record Carried(@Nullable Dialect of, @Nullable JsonNode value, boolean ofCall) {

    /** The seal, or null where the reasoning came without any. */
    public Delta.@Nullable ReasoningSeal seal(int choice) {
      return of == null || value == null ? null : new Delta.ReasoningSeal(choice, of, value);
    }
  }

  /**
   * {@code seal} as text for another dialect.
   *
   * @param ofCall whether it seals the tool call that follows
   */
  public static String carry(Delta.ReasoningSeal seal, boolean ofCall) {
    var json = Tree.object().put("of", seal.of().label());
    json.set("value", seal.value());
    if (ofCall) {
      json.put("call", true);
    }
    return MARK + base64(Tree.write(json));
  }

  /** What stands for the seal of reasoning that has none, where a dialect demands one. */
  public static String none() {
    return NONE;
  }

  /** What {@code text} carries, or null where it is a provider's own. */
  public static @Nullable Carried read(String text) {
    if (!text.startsWith(MARK)) {
      return null;
    }
    try {
      var json =
          Tree.read(
              new String(
                  Base64.getDecoder().decode(standard(text.substring(MARK.length()))),
                  StandardCharsets.UTF_8));
      for (var dialect : Dialect.values()) {
        if (dialect.label().equals(Tree.text(json, "of")) && json.has("value")) {
          return new Carried(dialect, json.get("value"), json.path("call").asBoolean(false));
        }
      }
      return new Carried(null, null, false);
    } catch (IllegalArgumentException | JacksonException e) {
      return new Carried(null, null, false);
    }
  }

  /** Gemini's Python SDK holds a signature as bytes, and writes it in the other alphabet. */
  private static String standard(String base64) {
    return base64.replace('-', '+').replace('_', '/');
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
