package dev.ebb.host.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A memory that only counts blocks. A request's matched prefix is given, and takes no blocks. */
final class CountingMemory {

  static final int BLOCK = 4;

  private final int blocks;
  private final Map<Long, Integer> held = new HashMap<>();
  private int used;

  /** Blocks that something other than the scheduler uses. */
  int external;

  /** Whether a running request is computing the prefix of those with even numbers. */
  boolean inProgress;

  /** What was reported as computed, as id:tokens. */
  final List<String> computed = new ArrayList<>();

  CountingMemory(int blocks) {
    this.blocks = blocks;
  }

  long capacityTokens() {
    return (long) blocks * BLOCK;
  }

  int used() {
    return used;
  }

  int admit(long id, int tokens, int cached) {
    if (inProgress && id % 2 == 0 && !held.isEmpty()) {
      return SchedulerMemory.IN_PROGRESS;
    }
    int matched = matched(tokens, cached);
    int needed = blocks(tokens) - matched / BLOCK;
    if (needed > free()) {
      return SchedulerMemory.NO_ROOM;
    }
    if (held.put(id, needed) != null) {
      throw new AssertionError("admitted twice: " + id);
    }
    used += needed;
    return matched;
  }

  boolean grow(long id, int tokens, int matched) {
    int more = blocks(tokens) - matched / BLOCK - held(id);
    if (more > Math.max(0, free())) {
      return false;
    }
    held.merge(id, more, Integer::sum);
    used += more;
    return true;
  }

  void release(long id) {
    used -= held(id);
    held.remove(id);
  }

  long shortage(int tokens, int cached) {
    int needed = blocks(tokens) - matched(tokens, cached) / BLOCK;
    return (long) Math.max(0, needed - free()) * BLOCK;
  }

  int held(long id) {
    Integer count = held.get(id);
    if (count == null) {
      throw new AssertionError("has no memory: " + id);
    }
    return count;
  }

  private int free() {
    return blocks - used - external;
  }

  private static int matched(int tokens, int cached) {
    return Math.min(cached, tokens) / BLOCK * BLOCK;
  }

  private static int blocks(int tokens) {
    return Math.ceilDiv(tokens, BLOCK);
  }

  /** Returns the view of a scheduler whose payload is the number of cached tokens. */
  SchedulerMemory<Integer> view() {
    return new SchedulerMemory<>() {
      @Override
      public long capacityTokens() {
        return CountingMemory.this.capacityTokens();
      }

      @Override
      public int admit(ScheduledRequest<Integer> request) {
        return CountingMemory.this.admit(request.id(), request.tokens(), request.payload());
      }

      @Override
      public boolean grow(ScheduledRequest<Integer> request) {
        return CountingMemory.this.grow(request.id(), request.tokens(), request.matchedTokens());
      }

      @Override
      public void computed(ScheduledRequest<Integer> request) {
        computed.add(request.id() + ":" + request.computedTokens());
      }

      @Override
      public void release(ScheduledRequest<Integer> request) {
        CountingMemory.this.release(request.id());
      }

      @Override
      public long shortage(ScheduledRequest<Integer> request) {
        return CountingMemory.this.shortage(request.tokens(), request.payload());
      }

      @Override
      public long held(ScheduledRequest<Integer> request) {
        return (long) CountingMemory.this.held(request.id()) * BLOCK;
      }
    };
  }
}
