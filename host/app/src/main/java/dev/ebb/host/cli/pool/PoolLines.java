package dev.ebb.host.cli.pool;

import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.admin.pool.CompactionDocument;
import dev.ebb.host.admin.pool.MigrationDocument;
import dev.ebb.host.admin.pool.PoolDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.engine.ReclaimCounters;
import dev.ebb.host.engine.SequenceReport;
import dev.ebb.host.engine.TrafficCounters;
import dev.ebb.host.units.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Pools as text, from a server's document. */
final class PoolLines {

  private static final int SEQUENCES = 20;

  private final List<String> lines = new ArrayList<>();
  private final PoolDocument pool;

  private PoolLines(PoolDocument pool) {
    this.pool = pool;
  }

  /** All pools, an empty line between two. */
  static List<String> stats(List<PoolDocument> pools) {
    return Format.sections(pools, pool -> new PoolLines(pool).lines());
  }

  /** What a compaction did. */
  static String compaction(CompactionDocument pool) {
    return "%s: moved %s, %s, in %s; fragmentation %s before, %s after; longest free run %s"
        .formatted(
            Format.text(pool.device()),
            Format.count(pool.blocksMoved(), "block", "blocks"),
            Format.bytes(pool.bytesMoved()),
            Format.seconds(pool.seconds()),
            Format.percent(pool.fragmentationBefore()),
            Format.percent(pool.fragmentationAfter()),
            Format.count(pool.largestFreeRun(), "block", "blocks"));
  }

  /** A table of moves between devices. */
  static List<String> migrations(List<MigrationDocument> moves) {
    if (moves.isEmpty()) {
      return List.of("no migration has been started");
    }
    TextTable table =
        new TextTable(">ID", ">SEQUENCE", "FROM", "TO", "STATE", ">COPIED", ">BYTES", "REASON");
    for (MigrationDocument each : moves) {
      table.add(
          List.of(
              Format.text(each.id()),
              Format.text(each.sequence()),
              Format.text(each.from()),
              Format.text(each.to()),
              Format.text(each.state()),
              "%s of %s".formatted(Format.count(each.blocksCopied()), Format.count(each.blocks())),
              Format.bytes(each.bytesCopied()),
              Format.text(each.reason())));
    }
    return table.lines();
  }

  private List<String> lines() {
    head();
    blocks();
    sequences();
    return lines;
  }

  private void head() {
    double blocks = pool.blocks();
    double bytes = pool.blockBytes();
    line(
        "pool",
        "%s%s, %s of %s, %s"
            .formatted(
                Format.text(pool.device()),
                pool.partition() != null ? ", " + Format.text(pool.partition()) : "",
                Format.count(pool.blocks(), "block", "blocks"),
                Format.bytes(pool.blockBytes()),
                ByteSize.format((long) (blocks * bytes))));
    line("policy", Format.text(pool.policy()));
  }

  private void blocks() {
    line(
        "in use",
        "%s, %s"
            .formatted(
                Format.count(pool.blocks() - pool.freeBlocks(), "block", "blocks"),
                Format.percent(pool.utilisation())));
    if (pool.cachedBlocks() != null) {
      line(
          "cached",
          "%s, %s evictable"
              .formatted(
                  Format.count(pool.cachedBlocks(), "block", "blocks"),
                  Format.count(pool.evictableBlocks())));
      line("reserved", Format.count(pool.reservedBlocks(), "block", "blocks"));
    }
    line(
        "fragmentation",
        "%s of the free blocks are in short runs".formatted(Format.percent(pool.fragmentation())));
    if (pool.usedBytes() != null) {
      line(
          "values",
          "%s, %s evictable; small ones share %s"
              .formatted(
                  Format.bytes(pool.usedBytes()),
                  Format.bytes(pool.evictableBytes()),
                  Format.count(pool.smallBlocks(), "block", "blocks")));
    }
    line("longest run", Format.count(pool.largestFreeRun(), "free block", "free blocks"));
    line("allocations", durations(pool.allocations()));
  }

  private void sequences() {
    TrafficCounters traffic = pool.traffic();
    ReclaimCounters reclaim = pool.reclaim();
    if (traffic == null || reclaim == null) {
      return;
    }
    line(
        "sequences",
        "%s opened, %s forked, %s finished, %s aborted, %s preempted"
            .formatted(
                Format.count(traffic.opened()),
                Format.count(traffic.forked()),
                Format.count(traffic.finished()),
                Format.count(traffic.aborted()),
                Format.count(traffic.preempted())));
    line(
        "hit tokens",
        "%s of %s"
            .formatted(
                Format.count(traffic.matchedTokens()), Format.count(traffic.promptTokens())));
    line(
        "moved",
        "%s compacted, %s migrated here, %s of prefixes copied here"
            .formatted(
                Format.count(traffic.compactedBlocks(), "block", "blocks"),
                Format.count(traffic.arrivedBlocks()),
                Format.count(traffic.copiedOverBlocks())));
    if (pool.migrations() != null) {
      line(
          "migrations",
          "%s; %s, %s cancelled"
              .formatted(
                  durations(pool.migrations()),
                  Format.bytes(traffic.migratedBytes()),
                  Format.count(traffic.cancelledMigrations())));
    }
    line(
        "reclaim",
        "%s compactions, %s evictions, %s preemptions, %s waits, %s refusals"
            .formatted(
                Format.count(reclaim.compactions()),
                Format.count(reclaim.evictedEntries()),
                Format.count(reclaim.preemptions()),
                Format.count(reclaim.waits()),
                Format.count(reclaim.refusals())));
    table(requireNonNullElse(pool.sequences(), List.of()));
  }

  private void table(List<SequenceReport> sequences) {
    if (sequences.isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable(
            ">SEQUENCE", ">PRIORITY", ">TOKENS", ">OWN", ">CACHED", ">RESERVED", "USE", "TENANT");
    for (SequenceReport each : sequences.subList(0, Math.min(SEQUENCES, sequences.size()))) {
      table.add(
          List.of(
              Format.text(each.id()),
              Format.text(each.priority()),
              Format.count(each.tokens()),
              Format.count(each.ownBlocks()),
              Format.count(each.cachedBlocks()),
              Format.count(each.reservedBlocks()),
              each.migrating() ? "moves" : each.inUse() ? "yes" : "no",
              Format.text(each.tenant())));
    }
    lines.add("");
    lines.addAll(table.lines());
    if (sequences.size() > SEQUENCES) {
      lines.add("... and %s more".formatted(whole(sequences.size() - SEQUENCES)));
    }
  }

  private static String durations(PoolDocument.Durations times) {
    if (times.mean() == null || times.p99() == null || times.max() == null) {
      return Format.count(times.count());
    }
    return "%s, mean %s, p99 %s, longest %s"
        .formatted(
            Format.count(times.count()),
            Format.seconds(times.mean()),
            Format.seconds(times.p99()),
            Format.seconds(times.max()));
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }

  private void line(String label, String value) {
    lines.add("%-14s %s".formatted(label, value));
  }
}
