package dev.ebb.host.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Maps requests to handlers. In a path such as {@code /api/v1/entries/{key}}, a part in braces
 * matches any single path part.
 */
public final class Routes {

  private final List<Route> routes = new ArrayList<>();

  /** Creates an empty route table. */
  public Routes() {}

  /**
   * A route.
   *
   * @param method the HTTP method in capitals
   * @param parts the parts of the path
   * @param open whether it needs no token
   * @param changing whether it may change something
   * @param maxBodyBytes the largest body that it accepts
   * @param handler handles the request
   */
  record Route(
      String method,
      List<String> parts,
      boolean open,
      boolean changing,
      int maxBodyBytes,
      Function<ServerRequest, Reply> handler) {

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

  /** A route with the values of its path parameters. */
  record Match(Route route, Map<String, String> captured) {}

  /**
   * Adds a route that requires the token, if there is one.
   *
   * @param method {@code GET}, {@code POST}, {@code PUT}, {@code PATCH} or {@code DELETE}
   * @param path starts with a slash
   * @param handler handles the request
   */
  public Routes add(String method, String path, Function<ServerRequest, Reply> handler) {
    boolean changing = !method.equals("GET");
    routes.add(new Route(method, parts(path), false, changing, ServerRequest.MAX_BODY, handler));
    return this;
  }

  /**
   * Adds a POST route that changes nothing: its question is too long for a path. It accepts a body
   * of 1 MiB and requires the token, if there is one.
   *
   * @param path starts with a slash
   * @param handler handles the request
   */
  public Routes question(String path, Function<ServerRequest, Reply> handler) {
    routes.add(new Route("POST", parts(path), false, false, ServerRequest.MAX_QUESTION, handler));
    return this;
  }

  /**
   * Adds a GET route that needs no token, because it exposes no cache contents.
   *
   * @param path starts with a slash
   * @param handler handles the request
   */
  public Routes open(String path, Function<ServerRequest, Reply> handler) {
    routes.add(new Route("GET", parts(path), true, false, ServerRequest.MAX_BODY, handler));
    return this;
  }

  /**
   * Returns all routes.
   *
   * @return method and path, in the order in which they were added
   */
  public List<String> list() {
    return routes.stream()
        .map(route -> route.method() + " /" + String.join("/", route.parts()))
        .toList();
  }

  /** Finds the route of a request. HEAD uses the route of GET. */
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

  /** The path exists, but not with this method. */
  static final class MethodException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final String allowed;

    MethodException(String method, String path, String allowed) {
      super("'%s' does not take %s; allowed: %s".formatted(path, method, allowed));
      this.allowed = allowed;
    }
  }
}
