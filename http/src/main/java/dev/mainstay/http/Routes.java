package dev.mainstay.http;

import java.util.List;
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

  /**
   * One of these routes.
   *
   * @param path with {@code {name}} for a segment that varies
   * @param id its name in the description
   * @param summary in a line
   */
  record Described(String method, String path, String id, String summary) {}

  /** Answers, on the exchange's loop; {@link #covers} its path. Must not block. */
  void handle(Exchange exchange, Caller caller);
}
