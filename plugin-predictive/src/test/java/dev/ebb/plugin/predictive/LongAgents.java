package dev.ebb.plugin.predictive;

import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Agents that share prompts of hundreds of blocks. Each of their requests adds a few percent of new
 * blocks to the one before.
 */
final class LongAgents {

  private static final int REQUESTS = 4000;
  private static final double STEPS = 12;
  private static final double REQUESTS_PER_SECOND = 10;

  private final Random random;
  private final double newBlocks;
  private final int[][] shared;
  private final double[] popularity;
  private int distinct;

  private LongAgents(long seed, int prompts, int sharedBlocks, double newBlocks) {
    random = new Random(seed);
    this.newBlocks = newBlocks;
    shared = new int[prompts][];
    popularity = new double[prompts];
    double sum = 0;
    for (int i = 0; i < prompts; i++) {
      shared[i] = fresh((int) (sharedBlocks * (0.5 + random.nextDouble())));
      sum += 1.0 / (i + 1);
      popularity[i] = sum;
    }
  }

  /**
   * Generates a trace.
   *
   * @param prompts how many prompts are shared, by Zipf's law
   * @param sharedBlocks their average length
   * @param newBlocks how many blocks a request adds on average
   */
  static Trace trace(long seed, int prompts, int sharedBlocks, double newBlocks, int agents) {
    return new LongAgents(seed, prompts, sharedBlocks, newBlocks).trace(agents);
  }

  private Trace trace(int agents) {
    int[][] prompt = new int[agents][];
    double pace = agents / REQUESTS_PER_SECOND;
    double[] due = random.doubles(agents).map(share -> share * pace).toArray();
    List<SimRequest> requests = new ArrayList<>();
    while (requests.size() < REQUESTS) {
      int agent = first(due);
      if (prompt[agent] == null || random.nextDouble() < 1 / STEPS) {
        prompt[agent] = shared[draw()];
      }
      prompt[agent] = extended(prompt[agent]);
      SimRequest request = new SimRequest(prompt[agent]);
      request.nanos = (long) (due[agent] * 1e9);
      request.outputTokens = 10 + random.nextInt(200);
      requests.add(request);
      // A Pareto distribution with a mean of 1.
      due[agent] += pace * Math.min(0.23 * Math.pow(1 - random.nextDouble(), -1 / 1.3), 100);
    }
    return new Trace(requests, distinct);
  }

  private static int first(double[] due) {
    int first = 0;
    for (int i = 1; i < due.length; i++) {
      if (due[i] < due[first]) {
        first = i;
      }
    }
    return first;
  }

  private int draw() {
    double at = random.nextDouble() * popularity[popularity.length - 1];
    int found = Arrays.binarySearch(popularity, at);
    return found < 0 ? -found - 1 : found;
  }

  private int[] extended(int[] before) {
    int[] added = fresh(1 + (int) (-Math.log(1 - random.nextDouble()) * newBlocks));
    int[] ids = Arrays.copyOf(before, before.length + added.length);
    System.arraycopy(added, 0, ids, before.length, added.length);
    return ids;
  }

  private int[] fresh(int blocks) {
    int[] ids = new int[blocks];
    Arrays.setAll(ids, i -> distinct + i);
    distinct += blocks;
    return ids;
  }
}
