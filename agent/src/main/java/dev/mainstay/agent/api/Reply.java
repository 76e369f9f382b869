package dev.mainstay.agent.api;

import dev.mainstay.wire.json.Tree;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An answer of the API. */
record Reply(int status, JsonNode body) {

  /** A request that cannot be served, with what the caller is told. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int status;
    final String code;
    final transient @Nullable JsonNode decided;
    private transient List<String> allowed = List.of();

    Refused(int status, String code, String message) {
      this(status, code, message, null);
    }

    /**
     * @param decided what was decided before, or null
     */
    Refused(int status, String code, String message, @Nullable JsonNode decided) {
      super(message, null, false, false);
      this.status = status;
      this.code = code;
      this.decided = decided;
    }

    /** This refusal, which says what is allowed. */
    Refused allowing(Collection<String> values) {
      allowed = List.copyOf(values);
      return this;
    }

    Reply reply() {
      var reply = error(status, code, String.valueOf(getMessage()), allowed);
      if (decided != null) {
        ((ObjectNode) reply.body()).set("decided", decided);
      }
      return reply;
    }
  }

  static Reply error(int status, String code, String message) {
    return error(status, code, message, List.of());
  }

  private static Reply error(int status, String code, String message, List<String> allowed) {
    var json = Tree.object();
    var error = json.putObject("error").put("code", code).put("message", message);
    var list = error.putArray("allowed");
    allowed.forEach(list::add);
    return new Reply(status, json);
  }

  static Refused unknown(String run) {
    return new Refused(404, "unknown_run", "There is no run " + run + ".");
  }

  /** Refuses a body with fields that there are not. */
  static void knows(ObjectNode body, Collection<String> fields) {
    for (var name : body.propertyNames()) {
      if (!fields.contains(name)) {
        var known = fields.stream().sorted().toList();
        throw new Refused(
                400,
                "unknown_field",
                "There is no field %s. Fields: %s.".formatted(name, String.join(", ", known)))
            .allowing(known);
      }
    }
  }

  /** Refuses a field that is missing, or is not what it must be. */
  static void needs(JsonNode body, String name, Predicate<JsonNode> fits, String what) {
    if (body.path(name).isMissingNode()) {
      throw new Refused(
          400, "missing_" + name, "The field %s is missing: %s.".formatted(name, what));
    }
    given(body, name, name, fits, what);
  }

  /**
   * Refuses a field that is there, and is not what it must be; null counts as missing.
   *
   * @param path of the field, for the caller
   */
  static void given(
      JsonNode body, String name, String path, Predicate<JsonNode> fits, String what) {
    var value = body.path(name);
    if (!value.isMissingNode() && !value.isNull() && !fits.test(value)) {
      throw new Refused(
              400,
              "invalid_" + path.replaceFirst("[.\\[].*", ""),
              "The field %s is %s, not %s.".formatted(path, found(value), what))
          .allowing(List.of(what));
    }
  }

  private static String found(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "a text";
      case NUMBER -> value.asString();
      case BOOLEAN -> value.asString();
      case ARRAY -> "a list";
      case OBJECT -> "an object";
      default -> "null";
    };
  }

  /** A body that must be a JSON object. */
  static ObjectNode object(byte[] body) {
    try {
      if (Tree.read(body, 0, body.length) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      // Told below, without the body's own text.
    }
    throw new Refused(400, "invalid_json", "The body is not a JSON object.");
  }

  /** Waits for the store; for threads that may block. */
  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
