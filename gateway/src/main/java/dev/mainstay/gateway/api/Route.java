package dev.mainstay.gateway.api;

import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.http.Routes.Described;
import java.lang.reflect.Type;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One route of the admin API: what it needs, takes and gives, and who answers. The OpenAPI
 * description is generated from these.
 *
 * @param needs the role of whoever asks; null for anyone
 * @param handler answers
 */
public record Route(@Nullable Role needs, Described described, Handler handler) {
  public Route(
      String method,
      String path,
      @Nullable Role needs,
      String id,
      String summary,
      Handler handler) {
    this(needs, new Described(method, path, id, summary), handler);
  }

  public String method() {
    return described.method();
  }

  public String path() {
    return described.path();
  }

  /** The record that describes the JSON of its body; null where no JSON is read. */
  @Nullable Type body() {
    var takes = described.shape().takes();
    return !method().equals("POST") || takes == String.class
        ? null
        : takes == null ? TypedBody.Nothing.class : takes;
  }

  /** What answers a route. */
  public sealed interface Handler {
    /** Gives an answer on a thread that may block. */
    non-sealed interface Blocking extends Handler {
      Reply answer(ApiRequest asked) throws Exception;
    }

    /** Answers by itself, on the exchange's loop. Must not block. */
    non-sealed interface OnLoop extends Handler {
      void handle(Exchange exchange, ApiRequest asked);
    }
  }

  /**
   * A request of the API.
   *
   * @param segments the varying segments of its path by their names, decoded
   * @param query by name, decoded; a parameter that is empty counts as missing
   * @param accept what the caller accepts, as it says; empty where it says nothing
   * @param body as the record demands that the route takes; empty where it takes none
   */
  public record ApiRequest(
      Caller caller,
      Map<String, String> segments,
      Map<String, String> query,
      String accept,
      ObjectNode body) {
    /** A segment of the path. */
    public String segment(String name) {
      return java.util.Objects.requireNonNull(segments.get(name), name);
    }

    /** A parameter of the query, or null. */
    public @Nullable String query(String name) {
      return query.get(name);
    }
  }

  /** An answer: what to say, with which status and content type. */
  public record Reply(int status, String contentType, Object body) {
    public static Reply ok(Object body) {
      return new Reply(200, "application/json", body);
    }
  }

  public static Route get(String path, Role needs, String id, String summary, Handler handler) {
    return new Route("GET", path, needs, id, summary, handler);
  }

  public static Route post(String path, Role needs, String id, String summary, Handler handler) {
    return new Route("POST", path, needs, id, summary, handler);
  }

  /** This route with one more parameter. */
  public Route with(String name, String type, String description) {
    return new Route(needs, described.with(name, type, description), handler);
  }

  /** This route, which takes a body. */
  public Route takes(Type record) {
    return new Route(needs, described.takes(record), handler);
  }

  /** This route, which gives JSON. */
  public Route gives(Type record) {
    return gives(200, record);
  }

  /** This route, which gives JSON with a status. */
  public Route gives(int status, Type record) {
    return new Route(needs, described.gives(status, record), handler);
  }

  /** This route, which gives something else than JSON. */
  public Route gives(@Nullable Type type, String contentType) {
    return new Route(needs, described.gives(200, type, contentType), handler);
  }
}
