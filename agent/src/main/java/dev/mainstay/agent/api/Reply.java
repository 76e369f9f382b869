package dev.mainstay.agent.api;

import dev.mainstay.wire.json.Tree;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
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

  /** A body, which the API has held against its description; none is an empty object. */
  static ObjectNode object(byte[] body) {
    return body.length == 0 ? Tree.object() : (ObjectNode) Tree.read(body, 0, body.length);
  }

  /** Waits for the store; for threads that may block. */
  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
