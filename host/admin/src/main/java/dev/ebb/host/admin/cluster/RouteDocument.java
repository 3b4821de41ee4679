package dev.ebb.host.admin.cluster;

import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.http.View;
import java.util.List;

/**
 * A node that could serve a request.
 *
 * @param resp where its clients connect, {@code host:port}
 * @param prefix how many of the request's first keys, or whole chunks of its tokens, the node has
 * @param tokensSaved the tokens that the engine beside it would not compute, estimated
 * @param bytesToMove the bytes that it would read from other nodes; 0 for a request with tokens
 * @param load its commands per second as a share of the busiest node's, 0 to 1
 */
public record RouteDocument(
    String node, String resp, int prefix, long tokensSaved, long bytesToMove, double load) {

  /** All nodes that take requests, the best one first. */
  public record All(List<RouteDocument> routes) {

    static All of(List<Route> routes) {
      return new All(routes.stream().map(RouteDocument::of).toList());
    }
  }

  private static RouteDocument of(Route route) {
    return View.of(RouteDocument.class, route, route.node())
        .with("node", route.node().name())
        .with("prefix", route.prefixKeys())
        .get();
  }
}
