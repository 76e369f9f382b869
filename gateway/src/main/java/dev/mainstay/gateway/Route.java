package dev.mainstay.gateway;

import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Caller;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One route of the admin API: what it needs, takes and gives, and who answers. The OpenAPI
 * description is generated from these.
 *
 * @param path with {@code {name}} for a segment that varies
 * @param needs the role of whoever asks; null for anyone
 * @param id its name in the description
 * @param summary in a line
 * @param parameters of the query
 * @param body the record that the body holds, or null
 * @param answer the record that is the answer, or null where it is no JSON
 * @param handler answers
 */
record Route(
    String method,
    String path,
    @Nullable Role needs,
    String id,
    String summary,
    List<Parameter> parameters,
    @Nullable Type body,
    @Nullable Type answer,
    Handler handler) {

  /**
   * A parameter of the query.
   *
   * @param type a type of JSON Schema
   */
  record Parameter(String name, String type, String description) {}

  /** What answers a route. */
  sealed interface Handler {
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
   */
  @SuppressWarnings("ArrayRecordComponent") // read once
  record ApiRequest(
      Caller caller,
      Map<String, String> segments,
      Map<String, String> query,
      String accept,
      byte[] body) {
    /** A segment of the path. */
    String segment(String name) {
      return java.util.Objects.requireNonNull(segments.get(name), name);
    }

    /** A parameter of the query, or null. */
    @Nullable String query(String name) {
      return query.get(name);
    }
  }

  /** An answer: what to say, with which status and content type. */
  record Reply(int status, String contentType, Object body) {
    static Reply ok(Object body) {
      return new Reply(200, "application/json", body);
    }
  }

  static Route get(String path, Role needs, String id, String summary, Handler handler) {
    return new Route("GET", path, needs, id, summary, List.of(), null, null, handler);
  }

  static Route post(String path, Role needs, String id, String summary, Handler handler) {
    return new Route("POST", path, needs, id, summary, List.of(), null, null, handler);
  }

  /** This route with one more parameter. */
  Route with(String name, String type, String description) {
    var more = new ArrayList<>(parameters);
    more.add(new Parameter(name, type, description));
    return new Route(method, path, needs, id, summary, List.copyOf(more), body, answer, handler);
  }

  /** This route, which takes a body. */
  Route takes(Type record) {
    return new Route(method, path, needs, id, summary, parameters, record, answer, handler);
  }

  /** This route, which gives JSON. */
  Route gives(Type record) {
    return new Route(method, path, needs, id, summary, parameters, body, record, handler);
  }
}
