package dev.ebb.host.replay;

import dev.ebb.host.replay.RequestQueue.QueuedRequest;
import dev.ebb.host.reuse.ReuseStack;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * LRU caches of several capacities in one pass over a trace, with the hits of separate runs: a
 * block is resident if its reuse distance is at most the capacity (R. L. Mattson et al.,
 * "Evaluation Techniques for Storage Hierarchies", 1970).
 *
 * <p>That holds for blocks of prompts too. A request touches its deepest block first, so all blocks
 * before a block are used after it: the block used longest ago is always a leaf. A prompt that is
 * larger than the cache fills it from its front, which is what the order has at its top.
 */
final class OnePass {

  private static final int REPORT_EVERY = 128;

  private final ReplayModel model;
  private final long[] capacities;
  private final RunTally[] tallies;
  private final long[] notAdmitted;
  private final int[] found;
  private final int[] leading;
  private final ReuseStack stack = new ReuseStack();
  private final Long2IntOpenHashMap blocks = new Long2IntOpenHashMap();
  private final QueuedRequest request = new QueuedRequest();
  private final int blockTokens;
  private int[] numbers = new int[1 << 8];
  private long nanos;

  /**
   * Creates caches that have seen nothing.
   *
   * @param capacities in blocks, ascending
   * @param blockTokens tokens in a full block
   */
  OnePass(ReplayModel model, List<Long> capacities, int blockTokens) {
    this.model = model;
    this.capacities = capacities.stream().mapToLong(Long::longValue).toArray();
    this.blockTokens = blockTokens;
    tallies =
        Stream.generate(() -> new RunTally(blockTokens))
            .limit(capacities.size())
            .toArray(RunTally[]::new);
    notAdmitted = new long[tallies.length];
    found = new int[tallies.length];
    leading = new int[tallies.length];
    blocks.defaultReturnValue(ReuseStack.NONE);
  }

  /**
   * Returns whether one pass counts what separate runs count. A cache that evicts entries of lower
   * priority first is not an LRU cache, unless all requests have one priority.
   */
  static boolean isExact(ReplayOptions options, DecodedTrace trace) {
    return options.groups() == null
        && options.tiers() == null
        && (!options.respectPriority() || trace.hasOnePriority());
  }

  /**
   * Replays the trace.
   *
   * @param progress receives the number of references since its last call
   */
  void feed(TraceCursor cursor, LongConsumer progress) {
    long start = System.nanoTime();
    long reported = 0;
    long references = 0;
    while (cursor.next()) {
      request.become(cursor.request(), blockTokens);
      if (model == ReplayModel.PREFIX) {
        prompt();
      } else {
        objects();
      }
      for (int i = 0; i < tallies.length; i++) {
        tallies[i].add(request, found[i], leading[i]);
      }
      references += request.chain.blocks();
      if (cursor.requestsRead() % REPORT_EVERY == 0) {
        progress.accept(references - reported);
        reported = references;
      }
    }
    nanos += System.nanoTime() - start;
    progress.accept(references - reported);
  }

  /** The blocks of a prompt that were used before are at its front, nearest first. */
  private void prompt() {
    int length = request.chain.blocks();
    int shared = number(length);
    int smallest = 0;
    int user = ReuseStack.NONE;
    long before = 0;
    for (int depth = 1; depth <= shared && smallest < capacities.length; depth++) {
      int last = stack.lastUser(numbers[depth - 1]);
      if (last != user) {
        user = last;
        before = stack.distance(user, depth) - depth;
      }
      while (smallest < capacities.length && capacities[smallest] < before + depth) {
        leads(smallest++, depth - 1);
      }
    }
    while (smallest < capacities.length) {
      leads(smallest++, shared);
    }
    stack.add(numbers, length);
    for (int i = 0; i < capacities.length; i++) {
      notAdmitted[i] += Math.max(0, length - capacities[i]);
    }
  }

  private void leads(int capacity, int hits) {
    found[capacity] = hits;
    leading[capacity] = hits;
  }

  /** Numbers the blocks of the request, and returns how many at its front are not new. */
  private int number(int length) {
    if (numbers.length < length) {
      numbers = new int[2 * length];
    }
    int shared = 0;
    for (int i = 0; i < length; i++) {
      int known = stack.blocks();
      numbers[i] = number(request.chain.fingerprint(i));
      shared += numbers[i] < known ? 1 : 0;
    }
    return shared;
  }

  private int number(long key) {
    int block = blocks.get(key);
    if (block == ReuseStack.NONE) {
      block = stack.addBlock();
      blocks.put(key, block);
    }
    return block;
  }

  /** Each object is a request of its own. */
  private void objects() {
    Arrays.fill(found, 0);
    Arrays.fill(leading, 0);
    for (int i = 0; i < request.chain.blocks(); i++) {
      numbers[0] = number(request.chain.fingerprint(i));
      int last = stack.lastUser(numbers[0]);
      long distance = last == ReuseStack.NONE ? Long.MAX_VALUE : stack.distance(last, 1);
      for (int cache = capacities.length - 1; cache >= 0; cache--) {
        if (capacities[cache] < distance) {
          break;
        }
        leading[cache] += leading[cache] == i ? 1 : 0;
        found[cache]++;
      }
      stack.add(numbers, 1);
    }
  }

  /**
   * Returns the result of each capacity.
   *
   * @param policy its name in reports
   */
  List<ReplayResult> results(String trace, String policy) {
    List<ReplayResult> results = new ArrayList<>();
    for (int i = 0; i < capacities.length; i++) {
      results.add(result(trace, policy, i));
    }
    return results;
  }

  private ReplayResult result(String trace, String policy, int cache) {
    RunTally of = tallies[cache];
    long inserted = of.references - of.hits - notAdmitted[cache];
    return new ReplayResult(
        trace,
        model,
        policy,
        capacities[cache],
        of.requests,
        of.references,
        of.hits,
        of.prefixHits,
        of.requestTokens,
        of.prefixHitTokens,
        of.prefill(),
        Double.NaN,
        -1,
        of.fairness.index(),
        inserted - Math.min(capacities[cache], stack.blocks()),
        -1,
        notAdmitted[cache],
        0,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        nanos == 0 ? Double.NaN : of.references * 1e9 * capacities.length / nanos,
        of.series.steps(),
        of.series.requestsPerStep(),
        null,
        "",
        null,
        null,
        null);
  }
}
