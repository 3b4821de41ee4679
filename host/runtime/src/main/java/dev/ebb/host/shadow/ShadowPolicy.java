package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.spi.PolicyClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A policy on the sample of one partition, with one cache for the whole sample and one for each
 * group. Not thread-safe.
 */
final class ShadowPolicy implements AutoCloseable {

  private final Sampling sampling;
  private final ShadowCache whole;
  private final ShadowCache[] groups = new ShadowCache[GROUPS];
  private final List<ShadowCache> all = new ArrayList<>();
  private final Time wholeTime = new Time();
  private final Time groupTime = new Time();
  private long nanos;
  private long rows;

  /** A clock that returns the time of the replayed access. */
  private static final class Time implements PolicyClock {
    private long nanos;

    void advanceTo(long to) {
      nanos = Math.max(nanos, to);
    }

    @Override
    public long nanos() {
      return nanos;
    }
  }

  /**
   * Creates a policy with empty caches.
   *
   * @param capacity of the live partition
   * @param limits limits of its background eviction; null if there is none
   */
  ShadowPolicy(
      String name,
      PolicySource source,
      String partition,
      long capacity,
      @Nullable EvictionLimits limits,
      Sampling sampling) {
    this.sampling = sampling;
    try {
      whole = scratch(name, source, partition, sampling.scaled(capacity, 1), wholeTime, limits);
      for (int i = 0; i < GROUPS; i++) {
        long part = sampling.scaled(capacity, GROUPS);
        groups[i] = scratch(name, source, partition, part, groupTime, limits);
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private ShadowCache scratch(
      String name,
      PolicySource source,
      String partition,
      long capacity,
      Time time,
      @Nullable EvictionLimits limits) {
    PolicyCandidate policy = source.create(name, partition, capacity, time);
    ShadowCache made = new ShadowCache(policy, capacity, time, limits);
    all.add(made);
    return made;
  }

  int entries() {
    return whole.entries();
  }

  void checkSize() {
    all.forEach(ShadowCache::checkSize);
  }

  void replay(AccessBatch batch, Counts counts) {
    counts.accesses += batch.accesses;
    counts.hits += batch.hits;
    counts.hitBlocks += batch.hitBlocks;
    long start = System.nanoTime();
    replayWhole(batch, counts);
    nanos += System.nanoTime() - start;
    rows += batch.size();
    replayGroups(batch, counts);
  }

  long nanos() {
    return nanos;
  }

  long rows() {
    return rows;
  }

  private void replayWhole(AccessBatch batch, Counts counts) {
    for (int row = 0; row < batch.size(); row++) {
      wholeTime.advanceTo(batch.nanos(row));
      if (batch.kind(row) == Kind.REQUEST) {
        int end = row + (int) batch.blocks(row);
        whole.begin(batch.facts(row));
        while (row < end) {
          row++;
          whole.add(batch.key(row));
          count(batch, row, counts);
        }
        int matched = whole.run();
        counts.ownHits += matched;
        counts.ownHitBlocks += matched;
      } else if (ShadowCache.isAccess(batch.kind(row))) {
        count(batch, row, counts);
        int weight = whole.weight(batch.key(row));
        counts.ownHits += object(whole, batch, row) ? 1 : 0;
        counts.ownHitBlocks += weight;
      } else {
        object(whole, batch, row);
      }
    }
  }

  private static void count(AccessBatch batch, int row, Counts counts) {
    counts.sampled++;
    if (batch.kind(row) == Kind.HIT) {
      counts.liveHits++;
      counts.liveHitBlocks += batch.blocks(row);
    }
  }

  private void replayGroups(AccessBatch batch, Counts counts) {
    for (int row = 0; row < batch.size(); row++) {
      groupTime.advanceTo(batch.nanos(row));
      if (batch.kind(row) == Kind.REQUEST) {
        row = requestInGroups(batch, row, counts);
      } else if (batch.kind(row) == Kind.CLEARED) {
        for (ShadowCache group : groups) {
          object(group, batch, row);
        }
      } else {
        int group = sampling.group(batch.key(row));
        counts.groupLiveHits[group] += batch.kind(row) == Kind.HIT ? 1 : 0;
        counts.groupOwnHits[group] += object(groups[group], batch, row) ? 1 : 0;
      }
    }
  }

  private int requestInGroups(AccessBatch batch, int header, Counts counts) {
    RequestFacts facts = batch.facts(header);
    int end = header + (int) batch.blocks(header);
    for (ShadowCache group : groups) {
      group.begin(facts);
    }
    for (int row = header + 1; row <= end; row++) {
      int group = sampling.group(batch.key(row));
      groups[group].add(batch.key(row));
      counts.groupLiveHits[group] += batch.kind(row) == Kind.HIT ? 1 : 0;
    }
    for (int i = 0; i < GROUPS; i++) {
      counts.groupOwnHits[i] += groups[i].run();
    }
    return end;
  }

  private static boolean object(ShadowCache on, AccessBatch batch, int row) {
    long key = batch.key(row);
    switch (batch.kind(row)) {
      case HIT -> {
        return on.access(true, key, batch.blocks(row), batch.facts(row));
      }
      case MISS -> {
        return on.access(false, key, 0, batch.facts(row));
      }
      case STORED, RESIDENT -> on.store(key, batch.blocks(row), batch.facts(row));
      case APPENDED -> on.append(key, batch.facts(row));
      case REMOVED -> on.remove(key, batch.cause(row));
      case CLEARED -> on.clear();
      case REQUEST -> throw new IllegalStateException("a request is not an object");
    }
    return false;
  }

  @Override
  public void close() {
    all.forEach(ShadowCache::close);
  }
}
