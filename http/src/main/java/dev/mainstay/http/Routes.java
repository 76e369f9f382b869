package dev.mainstay.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A part of an HTTP API, or pages, that a server includes without knowing it. Thread-safe. */
public interface Routes {
  /**
   * Who asks.
   *
   * @param client the name of the client whose key was given; null for a person
   * @param role what the person may do; a client's is {@link Role#OPERATOR} for what is its own
   * @param name for the audit log: the account's name, or what it came in by
   */
  record Caller(@Nullable String client, Role role, String name) {
    public static final Caller OPERATOR = new Caller(null, Role.ADMIN, "operator");

    /** A client by its name. */
    public Caller(String client) {
      this(client, Role.OPERATOR, client);
    }

    public boolean isOperator() {
      return client == null;
    }
  }

  /** Whether anyone may ask, without a key or a token: files that hold no data. */
  default boolean isPublic() {
    return false;
  }

  /** Whether {@code path} is one of these routes. */
  boolean covers(String path);

  /**
   * The role that a person needs. By default a viewer sees the list alone: what a single resource
   * holds are prompts and answers.
   */
  default Role needs(String method, String path) {
    boolean list = path.indexOf('/', "/api/".length()) < 0;
    return method.equals("GET") && list ? Role.VIEWER : Role.OPERATOR;
  }

  /** What is offered here, for the description of the API; empty where it describes itself. */
  default List<Described> described() {
    return List.of();
  }

  /** JSON Schemas of described types that are not records of what their JSON has. */
  default Map<Type, Map<String, Object>> schemas() {
    return Map.of();
  }

  /**
   * One of these routes.
   *
   * @param path with {@code {name}} for a segment that varies
   * @param id its name in the description
   * @param summary in a line
   * @param query its parameters
   * @param shape what it takes and gives
   */
  record Described(
      String method, String path, String id, String summary, List<Parameter> query, Shape shape) {
    public Described(String method, String path, String id, String summary) {
      this(method, path, id, summary, List.of(), Shape.UNKNOWN);
    }

    /** This route with one more parameter. */
    public Described with(String name, String type, String description) {
      var more = new ArrayList<>(query);
      more.add(new Parameter(name, type, description));
      return new Described(method, path, id, summary, List.copyOf(more), shape);
    }

    /**
     * This route, which takes JSON; text where the type is String. Its body is held against the
     * type before {@link Routes#handle}: no unknown field, none missing, none of a wrong type.
     */
    public Described takes(Type type) {
      return shaped(new Shape(type, shape.gives()));
    }

    /** This route, which gives JSON with a status, besides what it gives otherwise. */
    public Described gives(int status, Type type) {
      return gives(status, type, "application/json");
    }

    /** This route, which gives Server-Sent Events, each with JSON as its data. */
    public Described streams(Type type) {
      return gives(200, type, "text/event-stream");
    }

    /**
     * This route, which gives this with a status, besides what it gives otherwise.
     *
     * @param type of its JSON, of each line of its JSON Lines or of each event's data; null where
     *     it is none of these
     * @param contentType empty where there is no content
     */
    public Described gives(int status, @Nullable Type type, String contentType) {
      var all = new ArrayList<>(shape.gives());
      all.add(new Answer(status, type, contentType));
      return shaped(new Shape(shape.takes(), List.copyOf(all)));
    }

    private Described shaped(Shape newShape) {
      return new Described(method, path, id, summary, query, newShape);
    }
  }

  /**
   * A parameter of the query.
   *
   * @param type a type of JSON Schema
   */
  record Parameter(String name, String type, String description) {}

  /**
   * What a route takes and gives. Records are described by their components: {@code costUsd} is
   * {@code cost_usd}.
   *
   * @param takes the type of the body, or null
   * @param gives its successful answers; several of one status are alternatives
   */
  record Shape(@Nullable Type takes, List<Answer> gives) {
    static final Shape UNKNOWN = new Shape(null, List.of());
  }

  /**
   * An answer.
   *
   * @param type of its JSON; null where it has none
   * @param contentType empty where there is no content
   */
  record Answer(int status, @Nullable Type type, String contentType) {}

  /**
   * The components of a described record stand among those of the outer one; of a map, fields of
   * any name.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.RECORD_COMPONENT)
  @interface Flat {}

  /** A component of a described record that may be missing. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.RECORD_COMPONENT)
  @interface Optional {}

  /**
   * Answers, on the exchange's loop; {@link #covers} its path. Parameters and body fit the
   * description. Must not block.
   */
  void handle(Exchange exchange, Caller caller);
}
