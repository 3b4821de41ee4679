package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.stats.ReclaimCounters;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.PoolFullException;
import dev.ebb.spi.Demand;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The actions for a full pool: compact, evict, preempt, wait, refuse, in this order. Under the
 * engine's lock, which is released while waiting.
 */
final class BlockReclaimer {

  /** So soon a sequence notices that its asker no longer waits. */
  private static final long LONGEST_SLEEP = Duration.ofMillis(100).toNanos();

  private final Engine engine;
  private final DevicePartition partition;

  /** Nanoseconds to obtain blocks, including waits and refusals. */
  final Histogram obtaining = new Histogram();

  /** The sequences that wait for blocks of this device, with the number that each needs. */
  private final Map<Sequence, Integer> waiting = new HashMap<>();

  private long compactions;
  private long evictedEntries;
  private long preemptions;
  private long waits;
  private long refusals;

  BlockReclaimer(Engine engine, DevicePartition partition) {
    this.engine = engine;
    this.partition = partition;
  }

  ReclaimCounters counters() {
    return new ReclaimCounters(compactions, evictedEntries, preemptions, waits, refusals);
  }

  /**
   * Takes blocks from the pool, making room for them.
   *
   * @param asker the sequence; open, and checked again after each wait
   * @param attempt takes them; refused by the pool if they are not free or not in the right
   *     placement
   */
  <T> T obtain(Sequence asker, int blocks, Placement placement, Supplier<T> attempt) {
    long start = System.nanoTime();
    try {
      return obtained(asker, blocks, placement, attempt);
    } finally {
      obtaining.add(System.nanoTime() - start);
      if (waiting.remove(asker) != null) {
        // The next one may have its turn.
        engine.freed.signalAll();
      }
    }
  }

  private <T> T obtained(Sequence asker, int blocks, Placement placement, Supplier<T> attempt) {
    // A sequence that is arriving from another device can go on there: it does not wait.
    boolean mayWait = asker.home.partition == partition;
    long deadline = System.nanoTime() + (mayWait ? asker.asked.maxWait().toNanos() : 0);
    boolean hasWaited = false;
    while (true) {
      engine.checkOpen();
      asker.checkOpen();
      long left = left(asker, deadline);
      if (left > 0 && !isFirst(asker)) {
        waits += hasWaited ? 0 : 1;
        hasWaited = true;
        await(asker, left, blocks, placement);
        continue;
      }
      int free = partition.pool.freeBlocks();
      if (free >= blocks) {
        try {
          return attempt.get();
        } catch (PoolFullException noRun) {
          if (compact(blocks)) {
            continue;
          }
        }
      }
      if (!exceeds(asker, blocks)
          && (evict(asker, free >= blocks ? blocks : blocks - free)
              || partition.dropLeaving()
              || preempt(asker, blocks - free))) {
        continue;
      }
      left = left(asker, deadline);
      if (left <= 0 || exceeds(asker, blocks) || !othersHold(asker)) {
        throw refusal(asker, blocks, placement, hasWaited);
      }
      waits += hasWaited ? 0 : 1;
      hasWaited = true;
      if (!preemptWaiting(asker, blocks)) {
        await(asker, left, blocks, placement);
      }
    }
  }

  private static long left(Sequence asker, long deadline) {
    return asker.asked.waits() ? deadline - System.nanoTime() : 0;
  }

  /**
   * Returns whether it is the turn of a sequence. Sequences are opened by priority and age, behind
   * those that grow, which free their memory sooner. If all that hold memory wait, and nobody
   * before the sequence fits, its turn would not come.
   */
  private boolean isFirst(Sequence asker) {
    if (!isOpening(asker) || waiting.isEmpty()) {
      return true;
    }
    List<Integer> needed =
        waiting.entrySet().stream()
            .filter(each -> precedes(each.getKey(), asker))
            .map(Map.Entry::getValue)
            .toList();
    return needed.isEmpty()
        || (holders()
                .map(SequenceBlocks::sequence)
                .allMatch(each -> each == asker || waiting.containsKey(each))
            && needed.stream().allMatch(blocks -> blocks > partition.obtainableBlocks()));
  }

  private static boolean precedes(Sequence other, Sequence asker) {
    if (other == asker || !isOpening(other)) {
      return other != asker;
    }
    return other.asked.facts().priority() == asker.asked.facts().priority()
        ? other.id < asker.id
        : other.asked.facts().priority() > asker.asked.facts().priority();
  }

  private static boolean isOpening(Sequence sequence) {
    return sequence.stored.position() == 0;
  }

  private Stream<SequenceBlocks> holders() {
    return engine.sequenceBlocks(partition).filter(held -> held.blocks() > 0);
  }

  private boolean compact(int blocks) {
    compactions++;
    return partition.movement.makeRun(blocks).largestFreeRun() >= blocks;
  }

  private boolean evict(Sequence asker, int blocks) {
    int entries = Math.ceilDiv(blocks, partition.windows.unit());
    long evicted = partition.cache.evict(entries, Demand.Reason.ALLOCATION, asker.asked.facts());
    evictedEntries += evicted;
    asker.evictions += evicted;
    return evicted > 0;
  }

  /** Preempts a less important sequence. An arriving sequence stays where it is. */
  private boolean preempt(Sequence asker, int missing) {
    List<SequenceBlocks> candidates =
        engine
            .sequenceBlocks(partition)
            .filter(held ->
                !held.inUse()
                    && held.sequence().asked.facts().priority() < asker.asked.facts().priority())
            .filter(held -> held.blocks() > 0)
            .toList();
    // If all of them together have too little, none must lose its work for nothing.
    if (candidates.stream().mapToLong(SequenceBlocks::blocks).sum() < Math.max(1, missing)) {
      return false;
    }
    preempt(
        candidates,
        missing,
        asker,
        "%s of priority '%d'".formatted(asker.owner.name(), asker.asked.facts().priority()));
    return true;
  }

  /**
   * Preempts the asker or a sequence that waits like it, if all that hold blocks wait. Otherwise
   * they would wait for each other until the first of them gives up.
   */
  private boolean preemptWaiting(Sequence asker, int blocks) {
    int free = partition.pool.freeBlocks();
    List<SequenceBlocks> holders = holders().toList();
    boolean all =
        holders.stream()
            .map(SequenceBlocks::sequence)
            .allMatch(each -> each == asker || waiting.getOrDefault(each, 0) > free);
    long others =
        holders.stream()
            .filter(held -> held.sequence() != asker)
            .mapToLong(SequenceBlocks::blocks)
            .sum();
    int least = holders.stream().mapToInt(SequenceBlocks::priority).min().orElse(0);
    List<SequenceBlocks> candidates =
        holders.stream().filter(held -> held.priority() == least && !held.inUse()).toList();
    if (!all || free + others < blocks || candidates.isEmpty()) {
      return false;
    }
    preempt(
        candidates, blocks - free, asker, "another one, because all sequences waited for memory");
    return true;
  }

  private void preempt(List<SequenceBlocks> candidates, int missing, Sequence asker, String by) {
    long tokens = partition.tokens(missing);
    SequenceBlocks chosen = engine.preemption.select(candidates, tokens);
    Sequence victim = chosen.sequence();
    preemptions++;
    if (victim.home == chosen) {
      victim.preemptedBy = by;
      // An arriving sequence does not wait.
      if (asker.home.partition != partition || !engine.offloads(victim)) {
        engine.release(victim, SequenceState.PREEMPTED);
      }
    } else {
      engine.migrations.end(victim, "it was preempted by " + by);
    }
  }

  /** Returns whether a sequence would not even fit into the whole pool. */
  private boolean exceeds(Sequence asker, int blocks) {
    long held = asker.home.partition == partition ? asker.home.blocks() : 0;
    return held + blocks > partition.pool.blocks();
  }

  /** Returns whether another sequence could free blocks: otherwise waiting is useless. */
  private boolean othersHold(Sequence asker) {
    return engine.sequenceBlocks(partition).anyMatch(other -> other.sequence() != asker);
  }

  // The caller checks everything again, in a loop.
  @SuppressWarnings("WaitNotInLoop")
  private void await(Sequence asker, long nanos, int blocks, Placement placement) {
    waiting.put(asker, blocks);
    try {
      engine.freed.awaitNanos(Math.min(nanos, LONGEST_SLEEP));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw refusal(asker, blocks, placement, true);
    }
  }

  private OutOfBlocksException refusal(
      Sequence asker, int blocks, Placement placement, boolean hasWaited) {
    refusals++;
    PoolReport report = Inspection.report(engine, partition);
    StringBuilder message = new StringBuilder();
    message.append(
        "'%s' needs '%d' %s blocks on %s%s: %d of %d are free, %d cached and not evictable"
            .formatted(
                asker.owner.name(),
                blocks,
                placement == Placement.CONTIGUOUS ? "contiguous" : "more",
                partition.pool.device().name(),
                hasWaited ? " and waited '%d' ms".formatted(asker.asked.maxWait().toMillis()) : "",
                report.pool().freeBlocks(),
                report.pool().blocks(),
                report.cachedBlocks() - report.evictableBlocks()));
    report.sequences().stream()
        .filter(held -> held.id() != asker.id)
        .sorted(Comparator.comparingInt(SequenceReport::blocks).reversed())
        .limit(5)
        .forEach(held -> message.append("; ").append(held.describe()));
    message
        .append(
            exceeds(asker, blocks)
                ? "; open a shorter sequence, or enlarge "
                : "; finish or abort sequences, raise the priority, allow a wait or enlarge ")
        .append(engine.sizeKey);
    return new OutOfBlocksException(message.toString(), report);
  }
}
