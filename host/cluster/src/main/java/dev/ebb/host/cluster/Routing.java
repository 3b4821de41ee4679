package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.store.key.ChunkKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ranks nodes for requests, by the resident prefix, the bytes to move and the load. A router sends
 * many requests before the nodes' load shows them, so that requests which this node has routed
 * count for a while.
 */
final class Routing {

  /** The worth of a chunk that has to be read from another node, of one that is there already. */
  private static final double MOVED = 0.5;

  /** What twice the mean load costs, as a share of the request. */
  private static final double LOAD = 0.25;

  /** With fewer commands per second on the busiest node, no node counts as loaded. */
  private static final double IDLE = 100;

  /** Routed requests count half after this time. */
  private static final double HALF_LIFE_NANOS = 2e9;

  private final Directory directory;
  private final Members members;
  private final Map<Integer, Double> routed = new HashMap<>();
  private long routedNanos = System.nanoTime();

  private record Ranked(Route route, double score) {}

  Routing(Directory directory, Members members) {
    this.directory = directory;
    this.members = members;
  }

  CompletableFuture<List<Route>> route(List<byte[]> keys, int chunkTokens) {
    List<ValueId> ids = keys.stream().map(key -> ValueId.of(ChunkKeys.mainKey(key))).toList();
    return directory.get(ids).thenApply(entries -> ranked(ids, entries, chunkTokens));
  }

  private List<Route> ranked(
      List<ValueId> ids, Map<ValueId, DirectoryEntry> entries, int chunkTokens) {
    List<Node> nodes = new ArrayList<>(members.topology().nodes());
    nodes.removeIf(node -> node.state() != NodeState.ACTIVE);
    Map<Integer, Double> loads = loads(nodes);
    double mean = loads.values().stream().mapToDouble(each -> each).average().orElse(0);
    int longest = 0;
    while (longest < ids.size() && isLive(entries.get(ids.get(longest)), nodes)) {
      longest++;
    }
    List<Ranked> ranked = new ArrayList<>();
    for (Node node : nodes) {
      int prefix = 0;
      while (prefix < longest && holds(entries.get(ids.get(prefix)), node)) {
        prefix++;
      }
      long bytes = 0;
      for (int i = prefix; i < longest; i++) {
        DirectoryEntry entry = entries.get(ids.get(i));
        bytes += entry == null || holds(entry, node) ? 0 : entry.bytes();
      }
      double load = loads.getOrDefault(node.id(), 0.0);
      double score =
          prefix + MOVED * (longest - prefix) - excess(load, mean) * Math.max(1, ids.size());
      Route route = new Route(node, prefix, (long) prefix * chunkTokens, bytes, load);
      ranked.add(new Ranked(route, score));
    }
    ranked.sort(
        Comparator.comparingDouble(Ranked::score)
            .reversed()
            .thenComparing(each -> each.route.node().name()));
    if (!ranked.isEmpty()) {
      count(ranked.getFirst().route.node().id(), Math.max(1, ids.size() - longest));
    }
    return ranked.stream().map(Ranked::route).toList();
  }

  private static double excess(double load, double mean) {
    return mean == 0 ? 0 : LOAD * Math.max(0, load / mean - 1);
  }

  private static boolean isLive(@Nullable DirectoryEntry entry, List<Node> nodes) {
    return entry != null && nodes.stream().anyMatch(node -> holds(entry, node));
  }

  private static boolean holds(@Nullable DirectoryEntry entry, Node node) {
    return entry != null && entry.of(node.id()) != null;
  }

  /** Returns each node's load as a share of the busiest one's. */
  private synchronized Map<Integer, Double> loads(List<Node> nodes) {
    decay();
    double busiest = nodes.stream().mapToDouble(Node::commandsPerSecond).max().orElse(0);
    double commands = busiest < IDLE ? 0 : busiest;
    double requests = routed.values().stream().mapToDouble(each -> each).max().orElse(0);
    Map<Integer, Double> loads = new HashMap<>();
    for (Node node : nodes) {
      double served = commands > 0 ? node.commandsPerSecond() / commands : 0;
      double sent = requests > 0 ? routed.getOrDefault(node.id(), 0.0) / requests : 0;
      loads.put(node.id(), requests > 0 ? sent : served);
    }
    return loads;
  }

  private synchronized void count(int node, int chunks) {
    decay();
    routed.merge(node, (double) chunks, Double::sum);
  }

  private void decay() {
    long now = System.nanoTime();
    double factor = Math.pow(0.5, (now - routedNanos) / HALF_LIFE_NANOS);
    routedNanos = now;
    routed.replaceAll((node, chunks) -> chunks * factor);
    routed.values().removeIf(chunks -> chunks < 1e-3);
  }
}
