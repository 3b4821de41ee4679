package dev.ebb.spi.sim;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;

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

  private PrefixModel(BlockPolicy<N> policy, long capacity, int distinct, IntConsumer evictions) {
    this.policy = policy;
    this.capacity = capacity;
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
   * @param evictions told the id of each evicted block, in order
   * @return how many leading blocks of requests were resident on arrival, in all
   */
  public static <N> long hits(
      BlockPolicy<N> policy, Trace trace, long capacity, IntConsumer evictions) {
    PrefixModel<N> model = new PrefixModel<>(policy, capacity, trace.distinct(), evictions);
    long hits = 0;
    for (int[] ids : trace.requests()) {
      hits += model.serve(ids);
    }
    return hits;
  }

  private int serve(int[] ids) {
    int matched = 0;
    while (matched < ids.length && nodes.get(ids[matched]) != null) {
      pinned[ids[matched++]] = true;
    }
    policy.began(request.of(ids, matched));
    long wanted = Math.min(ids.length - matched, capacity - matched);
    while (capacity - resident < wanted) {
      evictOne();
    }
    int last = matched + (int) wanted - 1;
    for (int i = last; i >= matched; i--) {
      insert(ids, i);
    }
    for (int i = matched - 1; i >= 0; i--) {
      entries[ids[i]].touch(++tick);
      policy.accessed(nodes.get(ids[i]));
    }
    policy.ended(request);
    for (int i = last; i >= 0; i--) {
      pinned[ids[i]] = false;
      releaseIfCandidate(ids[i]);
    }
    return matched;
  }

  private void evictOne() {
    if (!(policy.victim(SimDemand.ONE_BLOCK) instanceof SimEntry victim)) {
      throw new AssertionError("no victim although unpinned blocks are resident");
    }
    int id = victim.id;
    if (aside[id]) {
      throw new AssertionError(victim + " is set aside and was offered");
    }
    if (pinned[id] || children[id] > 0) {
      aside[id] = true;
      policy.refused(nodes.get(id));
      return;
    }
    policy.removed(nodes.set(id, null), RemovalCause.EVICTED);
    evictions.accept(id);
    resident--;
    if (parent[id] != NONE) {
      children[parent[id]]--;
      releaseIfCandidate(parent[id]);
    }
  }

  private void insert(int[] ids, int index) {
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
