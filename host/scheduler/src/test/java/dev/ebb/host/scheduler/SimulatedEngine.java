package dev.ebb.host.scheduler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An engine with a virtual clock that computes nothing: a step takes a fixed time, and some more
 * for each token. Its memory is a prefix cache that evicts the least recently used block.
 */
final class SimulatedEngine implements BatchEngine<Prompt>, SchedulerMemory<Prompt> {

  private static final long STEP_NANOS = 10_000_000;
  private static final long TOKEN_NANOS = 20_000;

  private final int blockTokens;
  private final int capacity;
  private final Deque<Submission<Prompt>> arrivals;

  /** The users of each resident block; those without users in the order of their last use. */
  private final Map<Long, Integer> users = new HashMap<>();

  private final LinkedHashMap<Long, Boolean> evictable = new LinkedHashMap<>();
  private final Map<Long, Integer> ownBlocks = new HashMap<>();
  private final Set<Long> evicted = new HashSet<>();
  private int used;
  private long now;
  private long evictions;
  private long requestedAgain;

  long computedTokens;
  long matchedTokens;

  /** Every step: its time, and each request with its tokens. */
  final List<String> log = new ArrayList<>();

  SimulatedEngine(int blockTokens, int capacity, List<Submission<Prompt>> trace) {
    this.blockTokens = blockTokens;
    this.capacity = capacity;
    arrivals = new ArrayDeque<>(trace);
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public void receive(Scheduler<Prompt> scheduler) {
    while (!arrivals.isEmpty() && arrivals.getFirst().payload().arrival <= now) {
      scheduler.submit(arrivals.removeFirst(), now);
    }
  }

  @Override
  public void compute(Batch<Prompt> batch) {
    StringBuilder line = new StringBuilder().append(now);
    for (int i = 0; i < batch.size(); i++) {
      line.append(' ').append(batch.request(i).id()).append(':').append(batch.tokens(i));
    }
    log.add(line.toString());
    computedTokens += batch.totalTokens();
    now += STEP_NANOS + TOKEN_NANOS * batch.totalTokens();
  }

  @Override
  public boolean await(long nanos) {
    if (arrivals.isEmpty() && nanos == Long.MAX_VALUE) {
      return false;
    }
    long arrival =
        arrivals.isEmpty() ? Long.MAX_VALUE : arrivals.getFirst().payload().arrival - now;
    now += Math.min(nanos, arrival);
    return true;
  }

  @Override
  public long capacityTokens() {
    return (long) capacity * blockTokens;
  }

  int used() {
    return used;
  }

  @Override
  public int admit(ScheduledRequest<Prompt> request) {
    if (shortage(request) > 0) {
      return NO_ROOM;
    }
    long[] blocks = request.payload().blocks;
    int matched = matched(blocks);
    for (int i = 0; i < matched; i++) {
      users.merge(blocks[i], 1, Integer::sum);
      evictable.remove(blocks[i]);
    }
    for (int i = matched; i < blocks.length; i++) {
      requestedAgain += evicted.remove(blocks[i]) ? 1 : 0;
    }
    take(request, blocks(request.tokens()) - matched);
    matchedTokens += (long) matched * blockTokens;
    return matched * blockTokens;
  }

  private int matched(long[] blocks) {
    int matched = 0;
    while (matched < blocks.length && users.containsKey(blocks[matched])) {
      matched++;
    }
    return matched;
  }

  @Override
  public boolean grow(ScheduledRequest<Prompt> request) {
    int more =
        blocks(request.tokens())
            - request.matchedTokens() / blockTokens
            - ownBlocks.getOrDefault(request.id(), 0);
    if (more > capacity - used + evictable.size()) {
      return false;
    }
    take(request, more);
    return true;
  }

  private void take(ScheduledRequest<Prompt> request, int blocks) {
    while (capacity - used < blocks) {
      Long coldest = evictable.pollFirstEntry().getKey();
      users.remove(coldest);
      evicted.add(coldest);
      evictions++;
      used--;
    }
    ownBlocks.merge(request.id(), blocks, Integer::sum);
    used += blocks;
  }

  @Override
  public void release(ScheduledRequest<Prompt> request) {
    Integer own = ownBlocks.remove(request.id());
    if (own == null) {
      throw new AssertionError("has no memory: " + request);
    }
    used -= own;
    long[] blocks = request.payload().blocks;
    int matched = request.matchedTokens() / blockTokens;
    int kept = Math.max(matched, Math.min(blocks.length, request.computedTokens() / blockTokens));
    // The deepest block is evicted first.
    for (int i = kept - 1; i >= 0; i--) {
      int left = i < matched ? users.merge(blocks[i], -1, Integer::sum) : publish(blocks[i]);
      if (left == 0) {
        evictable.putLast(blocks[i], true);
      }
    }
  }

  private int publish(long block) {
    Integer others = users.putIfAbsent(block, 0);
    used += others == null ? 1 : 0;
    return others == null ? 0 : others;
  }

  @Override
  public long shortage(ScheduledRequest<Prompt> request) {
    long[] blocks = request.payload().blocks;
    int matched = matched(blocks);
    int pinned = 0;
    for (int i = 0; i < matched; i++) {
      pinned += evictable.containsKey(blocks[i]) ? 1 : 0;
    }
    int obtainable = capacity - used + evictable.size() - pinned;
    return Math.max(0L, blocks(request.tokens()) - matched - obtainable) * blockTokens;
  }

  @Override
  public long held(ScheduledRequest<Prompt> request) {
    return (long) ownBlocks.getOrDefault(request.id(), 0) * blockTokens;
  }

  @Override
  public MemoryPressure pressure() {
    return new MemoryPressure(evictions, requestedAgain, (double) pinned() / capacity);
  }

  /** Returns the resident blocks that requests use. */
  int pinned() {
    return used - evictable.size();
  }

  private int blocks(int tokens) {
    return Math.ceilDiv(tokens, blockTokens);
  }
}
