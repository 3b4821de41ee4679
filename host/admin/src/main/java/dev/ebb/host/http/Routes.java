package dev.ebb.host.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which call is served by whom. A path is written {@code /api/v1/entries/{key}}: a part in braces
 * stands for one part of any content.
 */
public final class Routes {

  private final List<Route> routes = new ArrayList<>();

  /** No routes. */
  public Routes() {}

  /**
   * A route.
   *
   * @param method in capitals
   * @param parts of the path
   * @param open whether it needs no token
   * @param handler answers
   */
  record Route(String method, List<String> parts, boolean open, Function<Request, Reply> handler) {

    @Nullable Map<String, String> match(List<String> path) {
      if (path.size() != parts.size()) {
        return null;
      }
      Map<String, String> captured = new HashMap<>();
      for (int i = 0; i < path.size(); i++) {
        String part = parts.get(i);
        if (part.startsWith("{")) {
          captured.put(part.substring(1, part.length() - 1), path.get(i));
        } else if (!part.equals(path.get(i))) {
          return null;
        }
      }
      return captured;
    }
  }

  /** A route with what a path gives for its parts in braces. */
  record Match(Route route, Map<String, String> captured) {}

  /**
   * Adds a route that needs the token, if there is one.
   *
   * @param method {@code GET}, {@code POST}, {@code PUT}, {@code PATCH} or {@code DELETE}
   * @param path starts with a slash
   * @param handler answers
   */
  public Routes add(String method, String path, Function<Request, Reply> handler) {
    routes.add(new Route(method, parts(path), false, handler));
    return this;
  }

  /**
   * Adds a GET that needs no token: it tells nothing of the cache.
   *
   * @param path starts with a slash
   * @param handler answers
   */
  public Routes open(String path, Function<Request, Reply> handler) {
    routes.add(new Route("GET", parts(path), true, handler));
    return this;
  }

  /**
   * Returns every route, for whoever compares them with their documentation.
   *
   * @return method and path, in the order in which they were added
   */
  public List<String> list() {
    return routes.stream()
        .map(route -> route.method() + " /" + String.join("/", route.parts()))
        .toList();
  }

  /** Finds the route. HEAD asks for what GET gives. */
  Match find(String method, String path) {
    String wanted = method.equals("HEAD") ? "GET" : method;
    List<String> parts = parts(path);
    TreeSet<String> allowed = new TreeSet<>();
    for (Route route : routes) {
      Map<String, String> captured = route.match(parts);
      if (captured != null) {
        if (route.method().equals(wanted)) {
          return new Match(route, captured);
        }
        allowed.add(route.method());
      }
    }
    if (allowed.isEmpty()) {
      throw new HttpException(404, "no such path '%s'; see docs/admin.md".formatted(path));
    }
    throw new MethodException(method, path, String.join(", ", allowed));
  }

  private static List<String> parts(String path) {
    return List.of(path.substring(Math.min(1, path.length())).split("/", -1));
  }

  /** The path is right and the method is not. */
  static final class MethodException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final String allowed;

    MethodException(String method, String path, String allowed) {
      super("'%s' does not take %s; allowed: %s".formatted(path, method, allowed));
      this.allowed = allowed;
    }
  }
}
