package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.Change.Released;
import dev.ebb.host.cluster.directory.DirectoryAnswers;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.Topology;
import dev.ebb.host.cluster.placement.ValueState;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the directory entries that this node owns, slowly, again and again. Counts the values by
 * their state, and removes the entries of values whose nodes have all left: no node has such a
 * value, so none would check it.
 */
final class DirectorySweep {

  private static final Logger LOG = LoggerFactory.getLogger(DirectorySweep.class);

  /** At 10 million entries of a cluster of three nodes, a sweep takes eleven minutes. */
  private static final int ENTRIES_PER_SECOND = 5_000;

  private static final long PAUSE_MILLIS = 200;
  private static final int MOST_REMOVED = 512;

  private final ClusterNode cluster;
  private final BooleanSupplier settled;
  private volatile ValueCounts counts = ValueCounts.NONE;

  final LongAdder removed = new LongAdder();

  DirectorySweep(ClusterNode cluster, BooleanSupplier settled) {
    this.cluster = cluster;
    this.settled = settled;
  }

  /** Returns the values whose entries this node owns, as the last complete sweep found them. */
  ValueCounts counts() {
    return counts;
  }

  void run() throws InterruptedException {
    while (true) {
      sweep(PAUSE_MILLIS);
    }
  }

  void sweep(long pauseMillis) throws InterruptedException {
    Map<ValueState, Long> found = new EnumMap<>(ValueState.class);
    for (int segment = 0; segment < cluster.directory.segments(); segment++) {
      int entries = 0;
      try {
        entries = sweepSegment(segment, found);
      } catch (RuntimeException failed) {
        // The segment moves to another node, or an owner does not answer. The next sweep has it.
        LOG.debug("entries not swept segment={}", segment, failed);
      }
      Thread.sleep(Math.max(pauseMillis, entries * 1_000L / ENTRIES_PER_SECOND));
    }
    counts = ValueCounts.of(found);
  }

  private int sweepSegment(int segment, Map<ValueState, Long> found) throws InterruptedException {
    Topology topology = cluster.members.topology();
    Map<ValueId, DirectoryEntry> entries = cluster.directory.owned(segment);
    Map<ValueId, Change> orphans = new HashMap<>();
    entries.forEach((id, entry) -> {
      ValueState state = ValueState.of(entry, topology, cluster.settings);
      found.merge(state, 1L, Long::sum);
      if (state == ValueState.UNKNOWN && orphans.size() < MOST_REMOVED) {
        orphans.put(id, gone(entry));
      }
    });
    if (!orphans.isEmpty() && settled.getAsBoolean()) {
      DirectoryAnswers.await(cluster.directory.update(orphans));
      removed.add(orphans.size());
      LOG.info("removed entries of values whose nodes have left, count={}", orphans.size());
    }
    return entries.size();
  }

  private static Change gone(DirectoryEntry entry) {
    Set<Integer> nodes = entry.holders().stream().map(Holder::node).collect(Collectors.toSet());
    return new Released(entry.holders().getFirst().node(), true, nodes);
  }
}
