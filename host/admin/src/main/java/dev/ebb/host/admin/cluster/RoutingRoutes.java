package dev.ebb.host.admin.cluster;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.routing.TokenRouter;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import org.jspecify.annotations.Nullable;

/** The route that ranks the nodes for a request. Without a cluster, it answers 404. */
public final class RoutingRoutes {

  /** The tokens of a chunk of LMCache, unless its configuration has another number. */
  private static final int CHUNK_TOKENS = 256;

  private static final String TOKENS = "a list of token ids, such as [128000, 791]";
  private static final int MOST_CHUNK_TOKENS = 1 << 20;

  private final @Nullable ClusterView cluster;
  private final @Nullable TokenRouter tokens;

  public RoutingRoutes(@Nullable ClusterView cluster) {
    this.cluster = cluster;
    tokens = cluster == null ? null : new TokenRouter();
  }

  public void addTo(Routes routes) {
    routes.document(
        Operation.post("/api/v1/route", RouteDocument.All.class, "ranks the nodes for a request")
            .question()
            .body(
                Field.of(
                    "keys",
                    Field.Type.TEXTS,
                    "the keys of its chunks; only the percent sign is encoded"),
                Field.of("tokens", Field.Type.INTEGERS, "its token ids"),
                Field.integer("chunkTokens", 1, MOST_CHUNK_TOKENS, "tokens of a chunk")
                    .or(CHUNK_TOKENS)),
        this::route);
  }

  private RouteDocument.All route(ServerRequest request) {
    Body body = request.body();
    ClusterView view = ClusterRoutes.required(cluster);
    TokenRouter router = requireNonNull(tokens);
    if (body.has("keys") == body.has("tokens")) {
      throw HttpException.bad("give one of 'keys' and 'tokens'");
    }
    int chunk = body.has("chunkTokens") ? (int) body.integer("chunkTokens") : CHUNK_TOKENS;
    return RouteDocument.All.of(
        body.has("keys")
            ? ClusterRoutes.await(view.route(ClusterRoutes.keys(body), chunk))
            : router.route(body.integers("tokens", Integer.MIN_VALUE, TOKENS), chunk, view.nodes()));
  }
}
