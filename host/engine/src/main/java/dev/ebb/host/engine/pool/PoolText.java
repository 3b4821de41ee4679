package dev.ebb.host.engine.pool;

import dev.ebb.host.engine.stats.ReclaimCounters;
import dev.ebb.host.engine.stats.TrafficCounters;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.Plural;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A pool as text for a terminal. */
public final class PoolText {

  private static final int SEQUENCES = 20;

  private PoolText() {}

  /**
   * Writes a pool's statistics, and its open sequences.
   *
   * @return lines without ends
   */
  public static List<String> stats(PoolReport report) {
    List<String> lines = new ArrayList<>();
    long blockBytes = report.pool().blockBytes();
    line(
        lines,
        "pool",
        "%s, %s of %s, %s",
        report.device(),
        blocks(report.pool().blocks()),
        ByteSize.format(blockBytes),
        ByteSize.format(report.pool().blocks() * blockBytes));
    line(lines, "policy", "%s", report.policy());
    line(
        lines,
        "in use",
        "%s, %.1f %%",
        blocks(report.pool().blocks() - report.pool().freeBlocks()),
        100 * report.pool().utilisation());
    line(
        lines,
        "cached",
        "%s, %,d evictable",
        blocks(report.cachedBlocks()),
        report.evictableBlocks());
    line(lines, "reserved", "%s", blocks(report.reservedBlocks()));
    line(
        lines,
        "fragmentation",
        "%.2f, longest free run %s",
        report.pool().fragmentation(),
        blocks(report.pool().largestFreeRun()));
    traffic(lines, report.traffic());
    reclaim(lines, report.reclaim());
    sequences(lines, report.sequences());
    return lines;
  }

  private static String blocks(long number) {
    return Plural.of(number, "block", "blocks");
  }

  private static void traffic(List<String> lines, TrafficCounters traffic) {
    line(
        lines,
        "sequences",
        "%,d opened, %,d forked, %,d finished, %,d aborted, %,d preempted",
        traffic.opened(),
        traffic.forked(),
        traffic.finished(),
        traffic.aborted(),
        traffic.preempted());
    line(
        lines,
        "hit tokens",
        traffic.promptTokens() == 0 ? "-" : "%,d of %,d, %.1f %%",
        traffic.matchedTokens(),
        traffic.promptTokens(),
        100 * traffic.hitRatio());
  }

  private static void reclaim(List<String> lines, ReclaimCounters reclaim) {
    line(
        lines,
        "reclaim",
        "%,d compactions, %,d evictions, %,d preemptions, %,d waits, %,d refusals",
        reclaim.compactions(),
        reclaim.evictedEntries(),
        reclaim.preemptions(),
        reclaim.waits(),
        reclaim.refusals());
  }

  private static void sequences(List<String> lines, List<SequenceReport> sequences) {
    if (sequences.isEmpty()) {
      return;
    }
    lines.add("");
    String row = "%10s  %8s  %8s  %8s  %8s  %8s  %-3s  %s";
    add(lines, row, "SEQUENCE", "PRIORITY", "TOKENS", "OWN", "CACHED", "RESERVED", "USE", "TENANT");
    sequences.stream()
        .limit(SEQUENCES)
        .forEach(sequence ->
            add(
                lines,
                row,
                sequence.id(),
                sequence.priority(),
                sequence.tokens(),
                sequence.ownBlocks(),
                sequence.cachedBlocks(),
                sequence.reservedBlocks(),
                sequence.inUse() ? "yes" : "no",
                known(sequence.tenant())));
    if (sequences.size() > SEQUENCES) {
      lines.add("... and %,d more".formatted(sequences.size() - SEQUENCES));
    }
  }

  /**
   * Draws a pool, one character per block. In a large pool a character shows the most frequent use
   * of several blocks.
   *
   * @param columns characters in a line, at least 1
   * @param rows lines at most, at least 1
   * @return the picture with its legend, lines without ends
   */
  public static List<String> map(PoolMap map, int columns, int rows) {
    if (columns < 1 || rows < 1) {
      throw new IllegalArgumentException(
          "a map of '%d' columns and '%d' rows is too small; use at least 1 of each"
              .formatted(columns, rows));
    }
    int cell =
        Math.ceilDiv(
            map.blocks(), Math.toIntExact(Math.min(Integer.MAX_VALUE, (long) columns * rows)));
    List<String> lines = new ArrayList<>();
    StringBuilder legend = new StringBuilder();
    for (BlockUse use : BlockUse.values()) {
      legend.append(
          "%c %s %,d   "
              .formatted(use.symbol(), use.name().toLowerCase(Locale.ROOT), map.count(use)));
    }
    lines.add(legend.toString().strip());
    if (cell > 1) {
      lines.add("%,d blocks to a character".formatted(cell));
    }
    StringBuilder line = new StringBuilder();
    for (int first = 0; first < map.blocks(); first += cell) {
      line.append(most(map, first, Math.min(map.blocks(), first + cell)).symbol());
      if (line.length() == columns) {
        lines.add(line.toString());
        line.setLength(0);
      }
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }

  private static BlockUse most(PoolMap map, int from, int to) {
    Map<BlockUse, Integer> counts = new EnumMap<>(BlockUse.class);
    BlockUse most = map.use(from);
    int mostBlocks = 0;
    for (int block = from; block < to; block++) {
      int count = counts.merge(map.use(block), 1, Integer::sum);
      if (count > mostBlocks) {
        most = map.use(block);
        mostBlocks = count;
      }
    }
    return most;
  }

  private static void line(List<String> lines, String label, String format, Object... values) {
    add(lines, "%-14s %s", label, String.format(Locale.ROOT, format, values));
  }

  private static void add(List<String> lines, String format, Object... values) {
    lines.add(String.format(Locale.ROOT, format, values).stripTrailing());
  }

  private static String known(@Nullable String text) {
    return text == null ? "-" : text;
  }
}
