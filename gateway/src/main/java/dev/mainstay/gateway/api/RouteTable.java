package dev.mainstay.gateway.api;

import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request. Immutable. */
public final class RouteTable {
  private final List<Route> routes;

  public RouteTable(List<Route> routes) {
    this.routes = List.copyOf(routes);
  }

  public List<Route> routes() {
    return routes;
  }

  /** A route and the varying segments of the path that led to it. */
  public record Match(Route route, Map<String, String> segments) {}

  /**
   * The route of a method and a path; that of GET for HEAD.
   *
   * @return null where the path is none of these
   * @throws ApiException where the path is offered, but not for this method
   */
  public @Nullable Match find(String method, String path) {
    // RFC 9110, 9.3.2: HEAD is GET without the body, which the server leaves out.
    var wanted = method.equals("HEAD") ? "GET" : method;
    var others = new TreeSet<String>();
    var given = path.split("/", -1);
    Match found = null;
    for (var route : routes) {
      var segments = segments(route.path().split("/", -1), given);
      if (segments == null) {
        continue;
      }
      if (!route.method().equals(wanted)) {
        others.add(route.method());
        if (route.method().equals("GET")) {
          others.add("HEAD");
        }
      } else if (found == null || segments.size() < found.segments().size()) {
        // A path that is written out comes before one with segments that vary.
        found = new Match(route, segments);
      }
    }
    if (found == null && !others.isEmpty()) {
      throw ApiException.notAllowed(others);
    }
    return found;
  }

  private static @Nullable Map<String, String> segments(String[] pattern, String[] given) {
    if (pattern.length != given.length) {
      return null;
    }
    var segments = new LinkedHashMap<String, String>();
    for (int i = 0; i < pattern.length; i++) {
      if (pattern[i].startsWith("{")) {
        segments.put(pattern[i].substring(1, pattern[i].length() - 1), decoded(given[i]));
      } else if (!pattern[i].equals(given[i])) {
        return null;
      }
    }
    return segments;
  }

  private static String decoded(String segment) {
    try {
      // A plus is itself in a path.
      return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return segment;
    }
  }

  /**
   * The parameters of a query, each given once.
   *
   * @throws ApiException for one that the route does not know
   */
  static Map<String, String> parameters(Route route, String query) {
    var known = new ArrayList<String>();
    route.described().query().forEach(each -> known.add(each.name()));
    var values = new LinkedHashMap<String, String>();
    Map<String, List<String>> given;
    try {
      given = new QueryStringDecoder(query, StandardCharsets.UTF_8, false).parameters();
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid("the query has an invalid percent-encoding");
    }
    given.forEach(
        (name, all) -> {
          if (!known.contains(name)) {
            throw ApiException.invalid(
                "there is no parameter " + name + " here", known.toArray(String[]::new));
          }
          if (all.size() > 1) {
            throw ApiException.invalid(name + " is given " + all.size() + " times, not once");
          }
          if (!all.getFirst().isEmpty()) {
            values.put(name, all.getFirst());
          }
        });
    return values;
  }
}
