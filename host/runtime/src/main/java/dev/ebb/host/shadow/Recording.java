package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.policy.RandomSeeds;
import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.host.shadow.AccessBatch.Requested;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
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
 *
 * <p>A request that is reported in parts is recorded as one, once it has been inactive for a
 * second; for half a minute while a missing block has not been stored.
 */
public final class Recording implements AutoCloseable {

  private static final int MOST_BEHIND = 256;

  /** How many requests wait for their next part. */
  private static final int MOST_OPEN = 1 << 14;

  private static final Sampling ALL = new Sampling(1, 1);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long AWAITED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final PolicySite site;
  private final ArrayBlockingQueue<AccessBatch> queue = new ArrayBlockingQueue<>(MOST_BEHIND);
  private final AtomicLong lost = new AtomicLong();
  private final List<PolicyPlace> places = new ArrayList<>();
  private final List<AccessSampler> samplers = new ArrayList<>();
  private final Map<String, Integer> tenants = new HashMap<>();

  /** Requests that may go on, by serial number, the longest inactive one first. */
  private final Map<Long, Open> open = new LinkedHashMap<>();

  private final long begun;
  private final long first;
  private final long second;

  /** A request that may go on, with its last part. */
  private record Open(Access access, long lastNanos, boolean awaited) {

    boolean isOver(long now) {
      return now - lastNanos > (awaited ? AWAITED_NANOS : IDLE_NANOS);
    }
  }

  /**
   * One recorded access: of an object, or of all blocks of a request.
   *
   * @param nanos since the recording began
   * @param ids identify the keys, front to back; each 0 or more
   * @param bytes size of what was found; 0 for a miss
   * @param tenant identifies the tenant; 0 if unknown
   * @param groups the object groups of its model with the ratio of their objects' sizes, if it is
   *     hybrid
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Access(
      long nanos, long[] ids, long bytes, int tenant, @Nullable SizedGroups groups) {}

  public Recording(PolicySite site) {
    this.site = site;
    first = RandomSeeds.next();
    second = RandomSeeds.next();
    begun = site.clock().nanos();
    listen();
  }

  /** Listens to all partitions, also those that have joined the site since. */
  private void listen() {
    for (PolicyPlace place : site.places()) {
      if (!places.contains(place)) {
        AccessSampler sampler =
            new AccessSampler(places.size(), ALL, new PromptStarts(), site.clock(), this::take);
        places.add(place);
        samplers.add(sampler);
        place.add(sampler);
      }
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
   * @return in order within each partition; empty if the wait timed out
   */
  public List<Access> next(long millis) throws InterruptedException {
    AccessBatch batch = queue.poll(millis, TimeUnit.MILLISECONDS);
    if (batch == null) {
      listen();
      for (int part = 0; part < samplers.size(); part++) {
        AccessSampler sampler = samplers.get(part);
        places.get(part).locked(() -> sampler.flush(0));
      }
      batch = queue.poll();
    }
    List<Access> accesses = new ArrayList<>();
    if (batch != null) {
      add(batch, accesses);
    }
    close(accesses, site.clock().nanos());
    return accesses;
  }

  private void add(AccessBatch batch, List<Access> accesses) {
    for (int row = 0; row < batch.size(); row++) {
      if (batch.kind(row) == Kind.REQUEST) {
        addRequest(batch, row, accesses);
        row += (int) batch.blocks(row);
      } else if (batch.kind(row).isAccess()) {
        accesses.add(
            new Access(
                batch.nanos(row) - begun,
                new long[] {id(batch.key(row))},
                batch.blocks(row) * places.get(batch.partition).blockBytes(),
                tenant(batch.facts(row).tenant()),
                null));
      }
    }
  }

  private void addRequest(AccessBatch batch, int header, List<Access> accesses) {
    Requested request = batch.request(header);
    long nanos = batch.nanos(header);
    int count = (int) batch.blocks(header);
    Open before = request.serial() == 0 ? null : open.remove(request.serial());
    long[] ids = new long[count];
    long blockBytes = places.get(batch.partition).blockBytes();
    long found = before == null ? 0 : before.access.bytes;
    boolean awaited = false;
    boolean news = before != null;
    for (int i = 0; i < count; i++) {
      int row = header + 1 + i;
      news |= batch.kind(row) != Kind.COUNTED;
      ids[i] = id(batch.key(row));
      found += batch.kind(row) == Kind.HIT ? batch.blocks(row) * blockBytes : 0;
      awaited |= batch.blocks(row) == 0;
    }
    Access access =
        new Access(
            before == null ? nanos - begun : before.access.nanos,
            ids,
            found,
            tenant(request.facts().tenant()),
            request.groups() == null ? null : request.groups().reduced());
    if (request.serial() == 0) {
      accesses.add(access);
    } else if (news) {
      open.put(request.serial(), new Open(access, nanos, awaited));
    }
  }

  /** Moves the requests that are over to the accesses. */
  private void close(List<Access> accesses, long now) {
    Iterator<Open> all = open.values().iterator();
    while (all.hasNext()) {
      Open each = all.next();
      if (each.isOver(now) || open.size() > MOST_OPEN) {
        accesses.add(each.access);
        all.remove();
      }
    }
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

  /** Returns how many accesses were dropped because the reader did not keep up. */
  public long lost() {
    return lost.get();
  }

  @Override
  public void close() {
    for (int part = 0; part < samplers.size(); part++) {
      places.get(part).remove(samplers.get(part));
    }
  }
}
