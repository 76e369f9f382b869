package dev.mainstay.agent.api;

import dev.mainstay.wire.json.Tree;
import java.util.concurrent.CompletionStage;
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

    Reply reply() {
      var reply = error(status, code, String.valueOf(getMessage()));
      if (decided != null) {
        ((ObjectNode) reply.body()).set("decided", decided);
      }
      return reply;
    }
  }

  static Reply error(int status, String code, String message) {
    var json = Tree.object();
    json.putObject("error").put("code", code).put("message", message);
    return new Reply(status, json);
  }

  static Refused unknown(String run) {
    return new Refused(404, "unknown_run", "There is no run " + run + ".");
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
