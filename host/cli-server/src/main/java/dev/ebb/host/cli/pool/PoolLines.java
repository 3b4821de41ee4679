package dev.ebb.host.cli.pool;

import dev.ebb.host.admin.pool.CompactionDocument;
import dev.ebb.host.admin.pool.MigrationDocument;
import dev.ebb.host.admin.pool.PoolDocument;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Pools as text, from a server's document. */
final class PoolLines {

  private static final int SEQUENCES = 20;

  private static final TextTemplate<PoolDocument> POOL =
      TextTemplate.of(
          PoolDocument.class,
          """
          pool           {device}[, {partition}], {blocks:block|blocks} of {blockBytes:bytes}, {poolBytes:bytes}
          [memory         {place}]
          [links          {links}]
          policy         {policy}
          in use         {usedBlocks:block|blocks}, {utilisation:percent}
          [cached         {cachedBlocks:block|blocks}, {evictableBlocks:count} evictable]
          [{?cached}reserved       {reservedBlocks:block|blocks}]
          fragmentation  {fragmentation:percent} of the free blocks are in short runs
          [values         {usedBytes:bytes}, {evictableBytes:bytes} evictable; small ones share {smallBlocks:block|blocks}]
          longest run    {largestFreeRun:free block|free blocks}
          allocations    {allocations}
          """,
          new Computed<>("place", pool -> place(pool.topology())),
          new Computed<>("links", pool -> links(pool.topology())),
          new Computed<>("poolBytes", pool -> (double) pool.blocks() * pool.blockBytes()),
          new Computed<>("usedBlocks", pool -> pool.blocks() - pool.freeBlocks()),
          new Computed<>("cached", pool -> pool.cachedBlocks() != null),
          new Computed<>("allocations", pool -> durations(pool.allocations())));

  private static final TextTemplate<PoolDocument> TRAFFIC =
      TextTemplate.of(
          PoolDocument.class,
          """
          sequences      {traffic.opened:count} opened, {traffic.forked:count} forked, {traffic.finished:count} finished, {traffic.aborted:count} aborted, {traffic.preempted:count} preempted
          hit tokens     {traffic.matchedTokens:count} of {traffic.promptTokens:count}
          moved          {traffic.compactedBlocks:block|blocks} compacted, {traffic.arrivedBlocks:count} migrated here, {traffic.copiedOverBlocks:count} of prefixes copied here
          [migrations     {migrations}; {traffic.migratedBytes:bytes}, {traffic.cancelledMigrations:count} cancelled]
          reclaim        {reclaim.compactions:count} compactions, {reclaim.evictedEntries:count} evictions, {reclaim.preemptions:count} preemptions, {reclaim.waits:count} waits, {reclaim.refusals:count} refusals
          """,
          new Computed<>("migrations", pool -> durations(pool.migrations())));

  private static final TextTemplate<PoolDocument.Durations> DURATIONS =
      TextTemplate.of(
          PoolDocument.Durations.class,
          "{count:count}[, mean {mean:seconds}, p99 {p99:seconds}, longest {max:seconds}]");

  private static final Columns<SequenceReport> SEQUENCE =
      Columns.of(
          SequenceReport.class,
          """
          >SEQUENCE | {id}
          >PRIORITY | {priority}
          >TOKENS | {tokens:count}
          >OWN | {ownBlocks:count}
          >CACHED | {cachedBlocks:count}
          >RESERVED | {reservedBlocks:count}
          USE | [{?migrating}moves][{!migrating}{?inUse}yes][{!migrating}{!inUse}no]
          TENANT | {tenant}
          """);

  /** The result of a compaction. */
  static final TextTemplate<CompactionDocument> COMPACTION =
      TextTemplate.of(
          CompactionDocument.class,
          "{device}: moved {blocksMoved:block|blocks}, {bytesMoved:bytes}, in {seconds:seconds};"
              + " fragmentation {fragmentationBefore:percent} before, {fragmentationAfter:percent}"
              + " after; longest free run {largestFreeRun:block|blocks}");

  private static final Columns<MigrationDocument> MIGRATIONS =
      Columns.of(
          MigrationDocument.class,
          """
          >ID | {id}
          >SEQUENCE | {sequence}
          FROM | {from}
          TO | {to}
          STATE | {state}
          >COPIED | {blocksCopied:count} of {blocks:count}
          >BYTES | {bytesCopied:bytes}
          REASON | {reason}
          """);

  private PoolLines() {}

  /** All pools, an empty line between two. */
  static List<String> stats(List<PoolDocument> pools) {
    return Format.sections(pools, PoolLines::stats);
  }

  private static List<String> stats(PoolDocument pool) {
    List<String> lines = new ArrayList<>(POOL.lines(pool));
    if (pool.traffic() != null && pool.reclaim() != null) {
      lines.addAll(TRAFFIC.lines(pool));
      lines.addAll(sequences(Objects.requireNonNullElse(pool.sequences(), List.of())));
    }
    return lines;
  }

  private static List<String> sequences(List<SequenceReport> sequences) {
    if (sequences.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.addAll(SEQUENCE.lines(sequences.stream().limit(SEQUENCES).toList()));
    if (sequences.size() > SEQUENCES) {
      lines.add("... and %s more".formatted(Format.count(sequences.size() - SEQUENCES)));
    }
    return lines;
  }

  /** Returns null on a machine with one NUMA node. */
  private static @Nullable String place(PoolDocument.Topology topology) {
    List<String> nodes = topology.numaNodes().stream().map(String::valueOf).toList();
    return nodes.isEmpty()
        ? null
        : "NUMA %s, %s".formatted(String.join(", ", nodes), topology.numaPolicy());
  }

  private static @Nullable String links(PoolDocument.Topology topology) {
    return topology.links().isEmpty()
        ? null
        : topology.links().stream()
            .map(link -> "%s %s".formatted(link.device(), link.type()))
            .collect(Collectors.joining(", "));
  }

  private static @Nullable String durations(PoolDocument.@Nullable Durations times) {
    return times == null ? null : DURATIONS.line(times);
  }

  /** A table of moves between devices. */
  static List<String> migrations(List<MigrationDocument> moves) {
    return moves.isEmpty() ? List.of("no migration has been started") : MIGRATIONS.lines(moves);
  }
}
