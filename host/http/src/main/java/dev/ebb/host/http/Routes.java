package dev.ebb.host.http;

import dev.ebb.host.errors.Suggestions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Maps requests to handlers. In a path such as {@code /api/v1/entries/{key}}, a part in braces
 * matches any single path part.
 */
public final class Routes {

  /** The time of a search for similar paths grows with the length. */
  private static final int LONGEST_HINT = 100;

  private final List<Route> routes = new ArrayList<>();

  private final String page;

  /** Creates an empty route table of the admin API. */
  public Routes() {
    this("docs/admin.md");
  }

  /** Creates an empty route table; messages refer to a page of the documentation. */
  public Routes(String page) {
    this.page = page;
  }

  record Route(Operation operation, List<String> parts, Function<ServerRequest, Reply> handler) {

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

  record Match(Route route, Map<String, String> captured) {}

  public Routes add(Operation operation, Function<ServerRequest, Reply> handler) {
    routes.add(new Route(operation, parts(operation.path()), handler));
    return this;
  }

  /**
   * Adds a route that returns a JSON document, with the status of the operation. Unknown query
   * parameters are refused.
   *
   * @param handler returns the document, as {@link Json#text} takes it
   */
  public Routes document(Operation operation, Function<ServerRequest, ?> handler) {
    return add(
        operation,
        request -> {
          if (operation.body() == null) {
            request.query();
          }
          return Reply.json(operation.answer().status(), handler.apply(request));
        });
  }

  /** Adds a route without parameters that returns a JSON document. */
  public Routes document(Operation operation, Supplier<?> document) {
    return document(
        operation,
        request -> {
          if (operation.body() != null) {
            request.body();
          }
          return document.get();
        });
  }

  /** Returns all operations, in the order in which they were added. */
  public List<Operation> operations() {
    return routes.stream().map(Route::operation).toList();
  }

  /** Finds the route of a request. HEAD uses the route of GET. */
  Match find(String method, String path) {
    String wanted = method.equals("HEAD") ? "GET" : method;
    List<String> parts = parts(path);
    TreeSet<String> allowed = new TreeSet<>();
    for (Route route : routes) {
      Map<String, String> captured = route.match(parts);
      if (captured != null) {
        if (route.operation().method().equals(wanted)) {
          return new Match(route, captured);
        }
        allowed.add(route.operation().method());
      }
    }
    if (allowed.isEmpty()) {
      throw new HttpException(404, "no such path '%s'%s; see %s".formatted(path, near(path), page));
    }
    throw new MethodException(method, path, String.join(", ", allowed));
  }

  private String near(String path) {
    return path.length() > LONGEST_HINT
        ? ""
        : Suggestions.hint(path, operations().stream().map(Operation::path).toList());
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
