package dev.ebb.host.cluster.routing;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The prefixes of recent requests, with the nodes that served them. A prefix is the first 16, 32,
 * 64 or 128 tokens of a request, or some of its whole chunks.
 *
 * <p>Memory is bounded: the least recently served prefix is forgotten, longer ones before shorter
 * ones of the same request, and a prefix has at most {@link #MOST_NODES} nodes. The time for a
 * prefix does not depend on how many there are. Not thread-safe.
 */
public final class FrequentPrefixes {

  /** The most nodes of one prefix; another one replaces that with the least weight. */
  public static final int MOST_NODES = 4;

  public static final int MOST_CHUNKS = 1_024;

  private static final int[] SHORT = {16, 32, 64, 128};

  /** A node that served a prefix only so long ago that its copy is probably evicted. */
  private static final double FORGOTTEN = 1.0 / 16;

  private final int capacity;
  private final double halfLife;
  private final LinkedHashMap<Long, Servers> prefixes = new LinkedHashMap<>(16, 0.75F, true);

  /** The longest known prefix of a request on a node, and how many requests it served, decaying. */
  public record Match(int tokens, double weight) {}

  /** The nodes that served one prefix, and how often: a sum that decays. */
  private static final class Servers {
    private final int[] nodes = new int[MOST_NODES];
    private final double[] weights = new double[MOST_NODES];
    private double time;

    void decay(double now, double halfLife) {
      double factor = Math.pow(2, (time - now) / halfLife);
      for (int i = 0; i < MOST_NODES; i++) {
        weights[i] *= factor;
      }
      time = now;
    }

    void add(int node) {
      int at = 0;
      for (int i = 0; i < MOST_NODES; i++) {
        if (weights[i] > 0 && nodes[i] == node) {
          weights[i]++;
          return;
        }
        at = weights[i] < weights[at] ? i : at;
      }
      nodes[at] = node;
      weights[at] = 1;
    }
  }

  public FrequentPrefixes(int capacity, double halfLife) {
    this.capacity = capacity;
    this.halfLife = halfLife;
  }

  /** Records that a node serves a request at a time in seconds, never less than before. */
  public void served(int[] tokens, int chunkTokens, int node, double now) {
    int[] lengths = lengths(tokens.length, chunkTokens);
    long[] hashes = hashes(tokens, lengths);
    for (int i = lengths.length - 1; i >= 0; i--) {
      Servers servers = prefixes.computeIfAbsent(hashes[i], any -> new Servers());
      servers.decay(now, halfLife);
      servers.add(node);
    }
    var eldest = prefixes.keySet().iterator();
    while (prefixes.size() > capacity) {
      eldest.next();
      eldest.remove();
    }
  }

  /**
   * Returns the longest known prefix of a request on each node that has one, at a time in seconds.
   */
  public Map<Integer, Match> find(int[] tokens, int chunkTokens, double now) {
    int[] lengths = lengths(tokens.length, chunkTokens);
    long[] hashes = hashes(tokens, lengths);
    Map<Integer, Match> longest = new HashMap<>();
    for (int i = lengths.length - 1; i >= 0; i--) {
      Servers servers = prefixes.get(hashes[i]);
      if (servers != null) {
        servers.decay(now, halfLife);
        for (int s = 0; s < MOST_NODES; s++) {
          if (servers.weights[s] >= FORGOTTEN) {
            longest.putIfAbsent(servers.nodes[s], new Match(lengths[i], servers.weights[s]));
          }
        }
      }
    }
    return longest;
  }

  public int size() {
    return prefixes.size();
  }

  private static int[] lengths(int tokens, int chunkTokens) {
    int chunks = Math.min(tokens / chunkTokens, MOST_CHUNKS);
    int[] all = Arrays.copyOf(SHORT, SHORT.length + chunks);
    for (int chunk = 1; chunk <= chunks; chunk++) {
      all[SHORT.length + chunk - 1] = chunk * chunkTokens;
    }
    return Arrays.stream(all).filter(length -> length <= tokens).sorted().distinct().toArray();
  }

  private static long[] hashes(int[] tokens, int[] lengths) {
    long[] hashes = new long[lengths.length];
    long hash = 0;
    int next = 0;
    for (int i = 0; next < lengths.length; i++) {
      hash = (hash ^ (tokens[i] + 1L)) * 0x9E37_79B9_7F4A_7C15L;
      hash ^= hash >>> 32;
      if (i + 1 == lengths[next]) {
        hashes[next++] = hash;
      }
    }
    return hashes;
  }
}
