package dev.ebb.host.cluster.routing;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.routing.FrequentPrefixes.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Ranks nodes for requests of which only the tokens are known. It learns from its own answers: the
 * caller sends a request to the first node. Thread-safe.
 */
public final class TokenRouter {

  /** At about 150 bytes each, 10 MiB. */
  private static final int PREFIXES = 1 << 16;

  private static final double HALF_LIFE_SECONDS = 600;

  /** The span in which the router's own answers count as load, which nodes do not report yet. */
  private static final double OWN_SECONDS = 5;

  /** The share of a prompt that a node with twice the mean load must save more than others. */
  private static final double LOAD_WEIGHT = 0.25;

  private static final Match NOTHING = new Match(0, 0);

  private final FrequentPrefixes prefixes = new FrequentPrefixes(PREFIXES, HALF_LIFE_SECONDS);
  private final Map<Integer, Double> sent = new HashMap<>();
  private final LongSupplier nanos;
  private double sentAt;

  public TokenRouter() {
    this(System::nanoTime);
  }

  TokenRouter(LongSupplier nanos) {
    this.nanos = nanos;
    sentAt = seconds();
  }

  private record Ranked(Route route, double score, long tie) {}

  /**
   * Ranks the nodes for a request.
   *
   * @param tokens those of its prompt, at least one
   * @param chunkTokens the tokens of one chunk
   * @param nodes the live nodes, at least one
   * @return the active nodes, or all if none is active; the best one first
   */
  public synchronized List<Route> route(int[] tokens, int chunkTokens, List<Node> nodes) {
    List<Node> active = nodes.stream().filter(node -> node.state() == NodeState.ACTIVE).toList();
    List<Node> candidates = active.isEmpty() ? nodes : active;
    double now = seconds();
    decay(now, candidates);
    Map<Integer, Match> known = prefixes.find(tokens, chunkTokens, now);
    double busiest = candidates.stream().mapToDouble(Node::commandsPerSecond).max().orElse(0);
    double meanLoad =
        candidates.stream().mapToDouble(Node::commandsPerSecond).sum() / candidates.size();
    double meanSent =
        sent.values().stream().mapToDouble(Double::doubleValue).sum() / candidates.size();
    long start = Arrays.hashCode(Arrays.copyOf(tokens, Math.min(16, tokens.length)));
    List<Ranked> ranked = new ArrayList<>();
    for (Node node : candidates) {
      int saved = known.getOrDefault(node.id(), NOTHING).tokens();
      double excess =
          excess(node.commandsPerSecond(), meanLoad)
              + excess(sent.getOrDefault(node.id(), 0.0), meanSent);
      double score = (double) saved / tokens.length - LOAD_WEIGHT * excess / 2;
      double load = busiest > 0 ? node.commandsPerSecond() / busiest : 0;
      ranked.add(
          new Ranked(
              new Route(node, saved / chunkTokens, saved, 0, load), score, mix(start, node)));
    }
    ranked.sort(
        Comparator.comparingDouble(Ranked::score).thenComparingLong(Ranked::tie).reversed());
    int best = ranked.getFirst().route().node().id();
    prefixes.served(tokens, chunkTokens, best, now);
    sent.merge(best, 1.0, Double::sum);
    return ranked.stream().map(Ranked::route).toList();
  }

  private void decay(double now, List<Node> nodes) {
    double factor = Math.pow(2, (sentAt - now) / OWN_SECONDS);
    sentAt = now;
    sent.replaceAll((node, count) -> count * factor);
    sent.keySet().retainAll(nodes.stream().map(Node::id).toList());
  }

  private static double excess(double value, double mean) {
    return (value - mean) / Math.max(1, mean);
  }

  /** Orders equal nodes differently for each start of a prompt, and the same at each router. */
  private static long mix(long start, Node node) {
    long hash = (start << 32 ^ node.id()) * 0x9E37_79B9_7F4A_7C15L;
    return (hash ^ hash >>> 29) * 0xBF58_476D_1CE4_E5B9L;
  }

  private double seconds() {
    return nanos.getAsLong() / 1e9;
  }
}
