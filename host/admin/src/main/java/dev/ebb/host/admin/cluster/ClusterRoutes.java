package dev.ebb.host.admin.cluster;

import dev.ebb.host.admin.entries.BinaryKeys;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.routing.TokenRouter;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.units.Percent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Routes for the nodes and values of a cluster. Without a cluster, each answers 404. */
public final class ClusterRoutes {

  private static final String DISABLED =
      "this Ebb is not a node of a cluster; set ebb.cluster.enabled = true and start it again";

  private static final int ANSWER_SECONDS = 8;

  /** The tokens of a chunk of LMCache, unless its configuration has another number. */
  private static final int CHUNK_TOKENS = 256;

  private static final String TOKENS = "a list of token ids, such as [128000, 791]";
  private static final int MOST_CHUNK_TOKENS = 1 << 20;

  private final @Nullable ClusterView cluster;
  private final TokenRouter router = new TokenRouter();

  public ClusterRoutes(@Nullable ClusterView cluster) {
    this.cluster = cluster;
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(
                "/api/v1/cluster", ClusterDocument.class, "the cluster as this node sees it"),
            () -> ClusterDocument.of(cluster()))
        .document(
            Operation.get("/api/v1/cluster/nodes", ClusterDocument.Members.class, "the live nodes"),
            () -> ClusterDocument.Members.of(cluster()))
        .document(
            Operation.get("/api/v1/cluster/nodes/{name}", ClusterDocument.Member.class, "one node"),
            this::one)
        .document(
            Operation.post(
                    "/api/v1/cluster/nodes/{name}/drain",
                    ClusterDocument.Member.class,
                    "starts to hand the values of a node over to other nodes")
                .status(202),
            this::drain)
        .document(
            Operation.post(
                "/api/v1/cluster/nodes/{name}/activate",
                ClusterDocument.Member.class,
                "lets a node take values again"),
            this::activate)
        .document(
            Operation.get(
                    "/api/v1/cluster/values",
                    ClusterValueDocument.class,
                    "the nodes that have a value")
                .query(Field.text("key", "its key, percent-encoded").needed()),
            this::value)
        .document(
            Operation.post(
                    "/api/v1/cluster/migrations",
                    ClusterMigrationDocument.class,
                    "starts to move values to a node")
                .status(202)
                .body(
                    Field.of(
                            "keys",
                            Field.Type.TEXTS,
                            "their keys; only the percent sign is encoded")
                        .needed(),
                    Field.text("node", "the name of the target node").needed()),
            this::migrate)
        .document(
            Operation.get(
                "/api/v1/cluster/migrations",
                ClusterMigrationDocument.All.class,
                "the migrations that this node has started"),
            () ->
                new ClusterMigrationDocument.All(
                    cluster().migrations().stream().map(ClusterMigrationDocument::of).toList()))
        .document(
            Operation.get(
                "/api/v1/cluster/migrations/{id}", ClusterMigrationDocument.class, "one migration"),
            this::migration)
        .document(
            Operation.post(
                    "/api/v1/route", RouteDocument.All.class, "ranks the nodes for a request")
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

  private ClusterView cluster() {
    if (cluster == null) {
      throw new HttpException(404, DISABLED);
    }
    return cluster;
  }

  private ClusterDocument.Member one(ServerRequest request) {
    return ClusterDocument.Member.of(node(request), cluster());
  }

  private ClusterDocument.Member drain(ServerRequest request) {
    request.body();
    cluster().drain(node(request).name());
    return one(request);
  }

  private ClusterDocument.Member activate(ServerRequest request) {
    request.body();
    cluster().activate(node(request).name());
    return one(request);
  }

  private Node node(ServerRequest request) {
    String name = Percent.decodeText(request.path("name"));
    List<Node> nodes = cluster().nodes();
    return nodes.stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new HttpException(404, noNode(name, nodes)));
  }

  private static String noNode(String name, List<Node> nodes) {
    return "no node '%s'; the cluster has %s"
        .formatted(name, nodes.stream().map(Node::name).collect(Collectors.joining(", ")));
  }

  private ClusterValueDocument value(ServerRequest request) {
    byte[] key = request.query().bytes("key");
    ClusterView view = cluster();
    if (key.length == 0) {
      throw HttpException.bad("the parameter 'key' is missing; write ?key=KEY");
    }
    return await(view.find(key))
        .map(place -> ClusterValueDocument.of(key, place))
        .orElseThrow(
            () -> new HttpException(404, "no node has '%s'".formatted(BinaryKeys.shown(key))));
  }

  private ClusterMigrationDocument migrate(ServerRequest request) {
    Body body = request.body();
    ClusterView view = cluster();
    List<byte[]> keys = keys(body);
    return ClusterMigrationDocument.of(view.migrate(keys, body.text("node")));
  }

  private ClusterMigrationDocument migration(ServerRequest request) {
    String id = request.path("id");
    return cluster().migrations().stream()
        .filter(migration -> Long.toString(migration.id()).equals(id))
        .findFirst()
        .map(ClusterMigrationDocument::of)
        .orElseThrow(() ->
            new HttpException(
                404,
                "no migration '%s'; GET /api/v1/cluster/migrations lists those of this node"
                    .formatted(id)));
  }

  private RouteDocument.All route(ServerRequest request) {
    Body body = request.body();
    ClusterView view = cluster();
    if (body.has("keys") == body.has("tokens")) {
      throw HttpException.bad("give one of 'keys' and 'tokens'");
    }
    int chunk = body.has("chunkTokens") ? (int) body.integer("chunkTokens") : CHUNK_TOKENS;
    return RouteDocument.All.of(
        body.has("keys")
            ? await(view.route(keys(body), chunk))
            : router.route(
                body.integers("tokens", Integer.MIN_VALUE, TOKENS), chunk, view.nodes()));
  }

  /** Returns the keys of a request, which are percent-encoded. */
  private static List<byte[]> keys(Body body) {
    return body.texts("keys", "a list of keys, such as [\"a\", \"b\"]").stream()
        .map(Percent::decode)
        .toList();
  }

  /** Waits for an answer of the directory. */
  private static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new HttpException(
          503,
          "the directory of the cluster did not answer within %d s; try again"
              .formatted(ANSWER_SECONDS));
    } catch (ExecutionException failed) {
      throw new HttpException(
          503, "the directory of the cluster failed: %s; try again".formatted(failed.getMessage()));
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      throw new HttpException(503, "this Ebb is stopping");
    }
  }
}
