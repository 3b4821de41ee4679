package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.shadow.AccessBatch.Kind;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Records every access to a live cache for one reader. Keys are hashed again with two random
 * numbers that are not stored. A recording therefore reveals neither the keys nor the ids of
 * another recording.
 */
public final class Recording implements AutoCloseable {

  private static final int MOST_BEHIND = 256;

  private final PolicySite site;
  private final ArrayBlockingQueue<AccessBatch> queue = new ArrayBlockingQueue<>(MOST_BEHIND);
  private final AtomicLong lost = new AtomicLong();
  private final List<AccessSampler> samplers = new ArrayList<>();
  private final Map<String, Integer> tenants = new HashMap<>();
  private final long begun;
  private final long first;
  private final long second;

  /**
   * One recorded access.
   *
   * @param nanos since the recording began
   * @param id identifies the key, 0 or more
   * @param blocks size of the object; 0 for a miss
   * @param tenant identifies the tenant; 0 if unknown
   */
  public record Access(long nanos, long id, long blocks, int tenant) {}

  /**
   * Starts a recording.
   *
   * @param site the live cache
   */
  public Recording(PolicySite site) {
    this.site = site;
    SecureRandom random = new SecureRandom();
    first = random.nextLong();
    second = random.nextLong();
    begun = site.clock().nanos();
    Sampling all = new Sampling(1, 1);
    for (int part = 0; part < site.places().size(); part++) {
      AccessSampler sampler = new AccessSampler(part, all, site.clock(), this::take);
      samplers.add(sampler);
      site.places().get(part).add(sampler);
    }
  }

  private void take(AccessBatch batch) {
    if (!queue.offer(batch)) {
      lost.addAndGet(batch.accesses);
    }
  }

  /**
   * Returns the next accesses.
   *
   * @param millis how long to wait for an access
   * @return in order within each partition; empty if the wait timed out
   * @throws InterruptedException if the thread is interrupted
   */
  public List<Access> next(long millis) throws InterruptedException {
    AccessBatch batch = queue.poll(millis, TimeUnit.MILLISECONDS);
    if (batch == null) {
      for (int part = 0; part < samplers.size(); part++) {
        AccessSampler sampler = samplers.get(part);
        site.places().get(part).locked(() -> sampler.flush(0));
      }
      batch = queue.poll();
    }
    return batch == null ? List.of() : accesses(batch);
  }

  private List<Access> accesses(AccessBatch batch) {
    List<Access> accesses = new ArrayList<>();
    int lastOfRequest = -1;
    String tenant = null;
    for (int row = 0; row < batch.size(); row++) {
      if (batch.kind(row) == Kind.REQUEST) {
        lastOfRequest = row + (int) batch.blocks(row);
        tenant = batch.facts(row).tenant();
      } else if (batch.kind(row) == Kind.HIT || batch.kind(row) == Kind.MISS) {
        accesses.add(
            new Access(
                batch.nanos(row) - begun,
                id(batch.key(row)),
                batch.blocks(row),
                tenant(row <= lastOfRequest ? tenant : batch.facts(row).tenant())));
      }
    }
    return accesses;
  }

  private int tenant(@Nullable String name) {
    return name == null ? 0 : tenants.computeIfAbsent(name, added -> tenants.size() + 1);
  }

  private long id(long key) {
    return mix(mix(key ^ first) + second) & Long.MAX_VALUE;
  }

  private static long mix(long value) {
    long bits = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }

  /**
   * Returns how many accesses were dropped because the reader did not keep up.
   *
   * @return the count since the start
   */
  public long lost() {
    return lost.get();
  }

  /** Stops the recording. */
  @Override
  public void close() {
    for (int part = 0; part < samplers.size(); part++) {
      site.places().get(part).remove(samplers.get(part));
    }
  }
}
