package dev.ebb.host.cli;

import dev.ebb.host.units.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Pools as text, from a server's document. */
final class PoolLines {

  private static final int SEQUENCES = 20;

  private final List<String> lines = new ArrayList<>();
  private final Fields pool;

  private PoolLines(Fields pool) {
    this.pool = pool;
  }

  /** All pools, an empty line between two. */
  static List<String> stats(List<Fields> pools) {
    List<String> all = new ArrayList<>();
    for (Fields pool : pools) {
      if (!all.isEmpty()) {
        all.add("");
      }
      all.addAll(new PoolLines(pool).lines());
    }
    return all;
  }

  private List<String> lines() {
    head();
    blocks();
    sequences();
    return lines;
  }

  private void head() {
    double blocks = pool.number("/blocks");
    double bytes = pool.number("/blockBytes");
    line(
        "pool",
        "%s%s, %s blocks of %s, %s"
            .formatted(
                pool.text("/device"),
                pool.has("/partition") ? ", " + pool.text("/partition") : "",
                pool.count("/blocks"),
                pool.bytes("/blockBytes"),
                ByteSize.format((long) (blocks * bytes))));
    line("policy", pool.text("/policy"));
  }

  private void blocks() {
    line(
        "in use",
        "%s blocks, %s"
            .formatted(
                whole(pool.number("/blocks") - pool.number("/freeBlocks")),
                pool.percent("/utilisation")));
    if (pool.has("/cachedBlocks")) {
      line(
          "cached",
          "%s blocks, %s could leave"
              .formatted(pool.count("/cachedBlocks"), pool.count("/evictableBlocks")));
      line("reserved", pool.count("/reservedBlocks") + " blocks");
    }
    line(
        "fragmentation",
        "%s of what is free lies in short runs".formatted(pool.percent("/fragmentation")));
    if (pool.has("/usedBytes")) {
      line(
          "values",
          "%s, %s could leave; small ones share %s blocks"
              .formatted(
                  pool.bytes("/usedBytes"),
                  pool.bytes("/evictableBytes"),
                  pool.count("/smallBlocks")));
    }
    line("longest run", pool.count("/largestFreeRun") + " free blocks");
  }

  private void sequences() {
    if (!pool.has("/traffic")) {
      return;
    }
    line(
        "sequences",
        "%s opened, %s forked, %s finished, %s aborted, %s preempted"
            .formatted(
                pool.count("/traffic/opened"),
                pool.count("/traffic/forked"),
                pool.count("/traffic/finished"),
                pool.count("/traffic/aborted"),
                pool.count("/traffic/preempted")));
    line(
        "hit tokens",
        "%s of %s"
            .formatted(pool.count("/traffic/matchedTokens"), pool.count("/traffic/promptTokens")));
    line(
        "moved",
        "%s blocks compacted, %s migrated here, %s of prefixes copied here"
            .formatted(
                pool.count("/traffic/compactedBlocks"),
                pool.count("/traffic/arrivedBlocks"),
                pool.count("/traffic/copiedOverBlocks")));
    line(
        "shortage",
        "%s compactions, %s evictions, %s preemptions, %s waits, %s refusals"
            .formatted(
                pool.count("/shortage/compactions"),
                pool.count("/shortage/evictedEntries"),
                pool.count("/shortage/preemptions"),
                pool.count("/shortage/waits"),
                pool.count("/shortage/refusals")));
    table(pool.list("/sequences"));
  }

  private void table(List<Fields> sequences) {
    if (sequences.isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable(
            ">SEQUENCE", ">PRIORITY", ">TOKENS", ">OWN", ">CACHED", ">RESERVED", "USE", "TENANT");
    for (Fields each : sequences.subList(0, Math.min(SEQUENCES, sequences.size()))) {
      table.add(
          List.of(
              each.text("/id"),
              each.text("/priority"),
              each.count("/tokens"),
              each.count("/ownBlocks"),
              each.count("/cachedBlocks"),
              each.count("/reservedBlocks"),
              each.flag("/migrating") ? "moves" : each.flag("/inUse") ? "yes" : "no",
              each.text("/tenant")));
    }
    lines.add("");
    lines.addAll(table.lines());
    if (sequences.size() > SEQUENCES) {
      lines.add("... and %s more".formatted(whole(sequences.size() - SEQUENCES)));
    }
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }

  private void line(String label, String value) {
    lines.add("%-14s %s".formatted(label, value));
  }
}
