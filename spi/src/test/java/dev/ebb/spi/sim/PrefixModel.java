package dev.ebb.spi.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * The prefix model: one request at a time matches its longest resident prefix and pins it, evicts
 * leaves until the rest fits (as much of it as can), then inserts and touches deepest first.
 *
 * @param <N> the policy's node
 */
public final class PrefixModel<N> {

  private static final int NONE = -1;

  private final BlockPolicy<N> policy;
  private final long capacity;
  private final LongConsumer clock;
  private final IntConsumer evictions;
  private final SimEntry[] entries;
  private final List<N> nodes;
  private final int[] parent;
  private final int[] children;
  private final boolean[] pinned;
  private final boolean[] aside;
  private final SimRequest request = new SimRequest();
  private long resident;
  private long tick;

  /**
   * An empty cache.
   *
   * @param distinct how many block numbers its requests will have
   * @param clock set to the time of each request before the policy receives it
   * @param evictions receives the id of each evicted block, in order
   */
  public PrefixModel(
      BlockPolicy<N> policy,
      long capacity,
      int distinct,
      LongConsumer clock,
      IntConsumer evictions) {
    this.policy = policy;
    this.capacity = capacity;
    this.clock = clock;
    this.evictions = evictions;
    entries = new SimEntry[distinct];
    nodes = new ArrayList<>(Collections.nCopies(distinct, null));
    parent = new int[distinct];
    children = new int[distinct];
    pinned = new boolean[distinct];
    aside = new boolean[distinct];
  }

  /**
   * Replays a trace.
   *
   * @param evictions receives the id of each evicted block, in order
   * @return how many leading blocks of requests were resident on arrival, in all
   */
  public static <N> long hits(
      BlockPolicy<N> policy, Trace trace, long capacity, IntConsumer evictions) {
    return new PrefixModel<>(policy, capacity, trace.distinct(), nanos -> {}, evictions)
        .hits(trace);
  }

  /** Requires of policies that they always find a leaf where only leaves can be evicted. */
  public static void assertFindLeaves(Iterable<? extends BlockPolicyProvider> policies, long seed) {
    Trace trace = Trace.random(new Random(seed), 5_000, 300);
    for (BlockPolicyProvider provider : policies) {
      AtomicInteger evictions = new AtomicInteger();
      BlockPolicy<?> policy = provider.create(new SimContext(60));
      hits(policy, trace, 60, id -> evictions.incrementAndGet());
      assertThat(evictions).as("%s, seed %d", provider.name(), seed).hasPositiveValue();
      assertThat(policy.size()).isBetween(1L, 60L);
    }
  }

  /**
   * Replays one more trace of the same block numbers.
   *
   * @return how many leading blocks of requests were resident on arrival, in all
   */
  public long hits(Trace trace) {
    long hits = 0;
    for (SimRequest next : trace.requests()) {
      hits += serve(next);
    }
    return hits;
  }

  /** What the policy gave for each resident block. */
  public List<N> nodes() {
    return nodes.stream().filter(Objects::nonNull).toList();
  }

  private int serve(SimRequest next) {
    int[] ids = next.ids;
    clock.accept(next.nanos);
    int matched = 0;
    while (matched < ids.length && nodes.get(ids[matched]) != null) {
      pinned[ids[matched++]] = true;
    }
    policy.began(request.become(next, matched).beforeItsEnd());
    long end = Math.min(ids.length, capacity);
    long fitting = Math.min(end, matched + capacity - resident);
    while (fitting < end && makeRoom((int) fitting)) {
      fitting++;
    }
    int last = (int) fitting - 1;
    for (int i = last; i >= matched; i--) {
      insert(next, i);
    }
    for (int i = matched - 1; i >= 0; i--) {
      entries[ids[i]].touch(++tick);
      entries[ids[i]].usedBy(next, i);
      policy.accessed(nodes.get(ids[i]));
    }
    policy.ended(request.become(next, matched));
    for (int i = last; i >= 0; i--) {
      pinned[ids[i]] = false;
      releaseIfCandidate(ids[i]);
    }
    return matched;
  }

  /** Evicts for a block of the request; returns false if the policy does not admit that. */
  private boolean makeRoom(int index) {
    int id = offer();
    while (pinned[id] || children[id] > 0) {
      aside[id] = true;
      policy.refused(nodes.get(id));
      id = offer();
    }
    if (!policy.admits(request, index, nodes.get(id))) {
      return false;
    }
    evict(id);
    return true;
  }

  private int offer() {
    if (!(policy.victim(SimDemand.ONE_BLOCK) instanceof SimEntry victim)) {
      throw new AssertionError("no victim although unpinned blocks are resident");
    }
    if (aside[victim.id]) {
      throw new AssertionError(victim + " is set aside and was offered");
    }
    return victim.id;
  }

  private void evict(int id) {
    policy.removed(nodes.set(id, null), RemovalCause.EVICTED);
    evictions.accept(id);
    resident--;
    if (parent[id] != NONE) {
      children[parent[id]]--;
      releaseIfCandidate(parent[id]);
    }
  }

  private void insert(SimRequest next, int index) {
    int[] ids = next.ids;
    int id = ids[index];
    SimEntry entry = entries[id];
    if (entry == null) {
      entry = new SimEntry(id);
      entry.depth = index;
      entries[id] = entry;
      parent[id] = index == 0 ? NONE : ids[index - 1];
    }
    if (parent[id] != NONE) {
      children[parent[id]]++;
    }
    entry.insert(++tick);
    entry.usedBy(next, index);
    resident++;
    nodes.set(id, policy.inserted(entry));
  }

  private void releaseIfCandidate(int id) {
    if (aside[id] && !pinned[id] && children[id] == 0) {
      aside[id] = false;
      policy.released(nodes.get(id));
    }
  }
}
