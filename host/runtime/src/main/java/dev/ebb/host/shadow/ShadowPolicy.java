package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.simulation.CacheSimulation;
import dev.ebb.host.cache.simulation.Resident;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.host.shadow.AccessBatch.Requested;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A policy on the sample of one partition, with one cache for the whole sample and one for each
 * group. Not thread-safe.
 */
final class ShadowPolicy implements AutoCloseable {

  private final Sampling sampling;
  private final boolean respectsPriority;
  private final long blockBytes;
  private final CacheSimulation whole;

  /** For each group; empty without a confidence interval. */
  private final CacheSimulation[] groups;

  private final List<CacheSimulation> all = new ArrayList<>();
  private final SimulatedClock wholeTime = new SimulatedClock();
  private final SimulatedClock groupTime = new SimulatedClock();
  private final SampleShare share;
  private long nanos;
  private long rows;

  /**
   * Creates a policy with empty caches.
   *
   * @param capacity of the partition, in blocks
   * @param limits limits of its background eviction; null if there is none
   */
  ShadowPolicy(
      String name,
      PolicySource source,
      String partition,
      long capacity,
      long blockBytes,
      @Nullable EvictionLimits limits,
      boolean respectsPriority,
      Sampling sampling,
      boolean grouped) {
    groups = new CacheSimulation[grouped ? GROUPS : 0];
    this.sampling = sampling;
    this.respectsPriority = respectsPriority;
    this.blockBytes = blockBytes;
    share = new SampleShare(sampling, capacity);
    try {
      whole = scratch(name, source, partition, sampling.scaled(capacity, 1), wholeTime, limits);
      for (int i = 0; i < groups.length; i++) {
        long part = sampling.scaled(capacity, GROUPS);
        groups[i] = scratch(name, source, partition, part, groupTime, limits);
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  private CacheSimulation scratch(
      String name,
      PolicySource source,
      String partition,
      long capacity,
      SimulatedClock time,
      @Nullable EvictionLimits limits) {
    PolicyCandidate policy = source.create(name, partition, capacity, time);
    CacheSimulation made = new CacheSimulation(policy, capacity, time, limits);
    if (respectsPriority) {
      made.respectPriority();
    }
    all.add(made);
    return made;
  }

  int entries() {
    return whole.entries();
  }

  /** Returns whether it has evicted. */
  boolean isFull() {
    return whole.evictions() > 0;
  }

  void checkSize() {
    all.forEach(CacheSimulation::checkSize);
  }

  void seed(Seeds seeds) {
    Map<Long, Resident> residents = seeds.residents();
    whole.seed(residents.values(), residents);
    for (int i = 0; i < groups.length; i++) {
      int group = i;
      groups[i].seed(
          residents.values().stream().filter(each -> seeds.isOfGroup(each, group)).toList(),
          residents);
    }
  }

  void replay(AccessBatch batch, Counts counts) {
    counts.accesses += batch.accesses;
    counts.hits += batch.hits;
    counts.hitBytes += batch.hitBlocks * blockBytes;
    counts.prefixAccesses += batch.prefixAccesses;
    counts.prefixHits += batch.prefixHits;
    batch.tenants.forEach((name, all) -> {
      Counts tenant = counts.ofTenant(name);
      tenant.accesses += all[0];
      tenant.hits += all[1];
    });
    long start = System.nanoTime();
    replayWhole(batch, counts);
    nanos += System.nanoTime() - start;
    rows += batch.size();
    if (groups.length > 0) {
      replayGroups(batch, counts);
    }
    if (share.add(batch)) {
      whole.resize(share.capacity());
      for (int i = 0; i < groups.length; i++) {
        groups[i].resize(share.capacity(i));
      }
    }
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
        row = requestInWhole(batch, row, counts);
      } else if (isSampled(batch, row)) {
        objectInWhole(batch, row, counts);
      }
    }
  }

  private void objectInWhole(AccessBatch batch, int row, Counts counts) {
    if (!batch.kind(row).isAccess()) {
      object(whole, batch, row);
      return;
    }
    Counts tenant = counts.ofTenant(batch.facts(row).tenant());
    count(batch, row, counts);
    count(batch, row, tenant);
    int weight = whole.weight(batch.key(row));
    int hits = object(whole, batch, row) ? 1 : 0;
    counts.ownHits += hits;
    counts.ownHitBytes += weight * blockBytes;
    tenant.ownHits += hits;
  }

  private int requestInWhole(AccessBatch batch, int header, Counts counts) {
    long liveBefore = counts.liveHits;
    int end = header + (int) batch.blocks(header);
    counts.prompts |= batch.request(header).groups() != null;
    if (!hasSampled(batch, header, end)) {
      return end;
    }
    Counts tenant = counts.ofTenant(batch.request(header).facts().tenant());
    tenant.prompts |= counts.prompts;
    begin(whole, batch.request(header));
    for (int row = header + 1; row <= end; row++) {
      if (!isSampled(batch, header, row)) {
        continue;
      }
      add(whole, batch, header, row);
      if (batch.kind(row).isAccess()) {
        count(batch, row, counts);
        count(batch, row, tenant);
      }
    }
    int hits = whole.run();
    tenant.ownHits += hits;
    counts.ownHits += hits;
    counts.ownHitBytes += whole.hitBlocks() * blockBytes;
    counts.ownPrefixHits += hits;
    counts.livePrefixHits += counts.liveHits - liveBefore;
    return end;
  }

  /** Returns whether a row is in this sample, which may be smaller than that of the batch. */
  private boolean isSampled(AccessBatch batch, int row) {
    return switch (batch.kind(row)) {
      // Of hybrid models, chunks of any prompt are reported as removed.
      case REMOVED, CLEARED -> true;
      default -> sampling.isIn(batch.key(row));
    };
  }

  /** Returns the same for a block of a request: of hybrid models, whole prompts are sampled. */
  private boolean isSampled(AccessBatch batch, int header, int row) {
    return sampling.isIn(batch.key(batch.request(header).groups() == null ? row : header));
  }

  private boolean hasSampled(AccessBatch batch, int header, int end) {
    for (int row = header + 1; row <= end; row++) {
      if (isSampled(batch, header, row)) {
        return true;
      }
    }
    return false;
  }

  private static void begin(CacheSimulation in, Requested request) {
    in.begin(
        request.facts(),
        request.inputTokens(),
        request.outputTokens(),
        request.serial() != 0,
        request.groups());
  }

  private static void add(CacheSimulation to, AccessBatch batch, int header, int row) {
    Requested request = batch.request(header);
    int index = row - header - 1;
    to.add(
        batch.key(row),
        (int) batch.blocks(row),
        index < request.ordered(),
        batch.kind(row) == Kind.COUNTED,
        index < request.used());
  }

  private void count(AccessBatch batch, int row, Counts counts) {
    counts.sampled++;
    if (batch.kind(row) == Kind.HIT) {
      counts.liveHits++;
      counts.liveHitBytes += batch.blocks(row) * blockBytes;
    }
  }

  private void replayGroups(AccessBatch batch, Counts counts) {
    for (int row = 0; row < batch.size(); row++) {
      groupTime.advanceTo(batch.nanos(row));
      if (batch.kind(row) == Kind.REQUEST) {
        row = requestInGroups(batch, row, counts);
      } else if (batch.kind(row) == Kind.CLEARED) {
        for (CacheSimulation group : groups) {
          object(group, batch, row);
        }
      } else if (isSampled(batch, row)) {
        objectInGroup(batch, row, counts);
      }
    }
  }

  private void objectInGroup(AccessBatch batch, int row, Counts counts) {
    int group = sampling.group(batch.key(row));
    int live = batch.kind(row) == Kind.HIT ? 1 : 0;
    int own = object(groups[group], batch, row) ? 1 : 0;
    counts.groupLiveHits[group] += live;
    counts.groupOwnHits[group] += own;
    if (batch.kind(row).isAccess()) {
      Counts tenant = counts.ofTenant(batch.facts(row).tenant());
      tenant.groupLiveHits[group] += live;
      tenant.groupOwnHits[group] += own;
    }
  }

  private int requestInGroups(AccessBatch batch, int header, Counts counts) {
    int end = header + (int) batch.blocks(header);
    if (!hasSampled(batch, header, end)) {
      return end;
    }
    for (CacheSimulation group : groups) {
      begin(group, batch.request(header));
    }
    boolean whole = batch.request(header).groups() != null;
    Counts tenant = counts.ofTenant(batch.request(header).facts().tenant());
    for (int row = header + 1; row <= end; row++) {
      if (!isSampled(batch, header, row)) {
        continue;
      }
      int group = sampling.group(batch.key(whole ? header : row));
      add(groups[group], batch, header, row);
      int live = batch.kind(row) == Kind.HIT ? 1 : 0;
      counts.groupLiveHits[group] += live;
      tenant.groupLiveHits[group] += live;
    }
    for (int i = 0; i < GROUPS; i++) {
      int own = groups[i].run();
      counts.groupOwnHits[i] += own;
      tenant.groupOwnHits[i] += own;
    }
    return end;
  }

  private static boolean object(CacheSimulation on, AccessBatch batch, int row) {
    long key = batch.key(row);
    switch (batch.kind(row)) {
      case HIT -> {
        return on.access(true, key, batch.blocks(row), batch.facts(row));
      }
      case MISS -> {
        return on.access(false, key, 0, batch.facts(row));
      }
      case STORED -> on.store(key, batch.blocks(row), batch.facts(row));
      case APPENDED -> on.append(key, batch.facts(row));
      case REWEIGHED -> on.reweigh(key, batch.blocks(row));
      case REMOVED -> on.remove(key, batch.cause(row));
      case CLEARED -> on.clear();
      case REQUEST, COUNTED -> throw new IllegalStateException("a request is not an object");
    }
    return false;
  }

  @Override
  public void close() {
    all.forEach(CacheSimulation::close);
  }
}
