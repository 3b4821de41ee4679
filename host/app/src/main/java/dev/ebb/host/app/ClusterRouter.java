package dev.ebb.host.app;

import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.store.RequestRouter;
import jakarta.inject.Inject;
import jakarta.inject.Provider;
import java.util.List;
import java.util.Optional;

/** Provides the ranking of a cluster's nodes to clients of the RESP server. */
final class ClusterRouter implements Provider<RequestRouter> {

  private final Optional<ClusterView> cluster;

  @Inject
  ClusterRouter(Optional<ClusterView> cluster) {
    this.cluster = cluster;
  }

  @Override
  public RequestRouter get() {
    return cluster.map(ClusterRouter::of).orElse(RequestRouter.NONE);
  }

  private static RequestRouter of(ClusterView view) {
    return (keys, chunkTokens) -> view.route(keys, chunkTokens).thenApply(ClusterRouter::ranked);
  }

  private static List<RequestRouter.RankedNode> ranked(List<Route> routes) {
    return routes.stream()
        .map(route ->
            new RequestRouter.RankedNode(
                route.node().name(),
                route.node().resp(),
                route.prefixKeys(),
                route.tokensSaved(),
                route.bytesToMove(),
                route.load()))
        .toList();
  }
}
