package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.errors.UserError;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What operators see of the cluster, and what they change. Any node answers. Thread-safe. */
public interface ClusterView {

  /**
   * Publishes where this node serves.
   *
   * @param clients the address for clients of this node
   * @param operators the address for operators; null without an admin server
   * @param executed how many commands it has executed
   */
  void serving(
      InetSocketAddress clients, @Nullable InetSocketAddress operators, LongSupplier executed);

  String name();

  Node self();

  /** Returns the live nodes with this one, sorted by name. */
  List<Node> nodes();

  /** Returns how many values the directory has, about. */
  long values();

  ClusterStats stats();

  /** Returns what the directory says about a value; empty if it does not know it. */
  CompletableFuture<Optional<ValuePlace>> find(byte[] key);

  /**
   * Ranks the nodes for a request.
   *
   * @param keys those of its prompt, front to back
   * @param chunkTokens the tokens of one key's value, to estimate the tokens saved
   * @return every node that takes requests, the best one first
   */
  CompletableFuture<List<Route>> route(List<byte[]> keys, int chunkTokens);

  /**
   * Starts to hand a node's values over to other nodes. It continues to serve.
   *
   * @throws UserError if there is no such node, or no other node could take its values
   */
  void drain(String node);

  /**
   * Makes a draining or drained node active again.
   *
   * @throws UserError if there is no such node
   */
  void activate(String node);

  /**
   * Starts to move the primary copies of some values to a node.
   *
   * @return its state, also under {@link #migrations}
   * @throws UserError if there is no such node, or it takes no values
   */
  NodeMigration migrate(List<byte[]> keys, String node);

  /** Returns the migrations that this node has started, the newest first; the last hundred. */
  List<NodeMigration> migrations();
}
