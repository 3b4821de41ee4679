package dev.ebb.host.cli.server;

import dev.ebb.host.admin.cluster.ClusterDocument;
import dev.ebb.host.admin.cluster.ClusterDocument.Member;
import dev.ebb.host.admin.cluster.ClusterMigrationDocument;
import dev.ebb.host.admin.cluster.ClusterValueDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.cluster.placement.ValueState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A cluster as text, from a server's documents. */
public final class ClusterLines {

  private ClusterLines() {}

  /** The node that answers. */
  static List<String> status(ClusterDocument cluster) {
    ClusterStats stats = cluster.stats();
    Member self = cluster.self();
    return List.of(
        line(
            "cluster",
            "%s, %s, %s"
                .formatted(
                    Format.text(cluster.name()),
                    Format.count(cluster.nodes(), "node", "nodes"),
                    Format.count(cluster.values(), "value", "values"))),
        line(
            "this node",
            "%s, zone %s, rack %s, %s"
                .formatted(
                    Format.text(self.name()),
                    Format.text(self.zone()),
                    Format.text(self.rack()),
                    Format.text(self.state()))),
        line("main store", of(self.usedBytes(), self.capacityBytes())),
        line("replicas", of(self.replicaUsedBytes(), self.replicaCapacityBytes())),
        line("read cache", of(stats.readCacheUsedBytes(), stats.readCacheCapacityBytes())),
        line(
            "replication",
            "lag %s, %s pending, %s under-replicated, %s on one rack"
                .formatted(
                    Format.seconds(stats.replicationLagMillis() / 1e3),
                    Format.count(stats.pendingReplications()),
                    Format.count(stats.underReplicated()),
                    Format.count(stats.rackUnsafe()))),
        line(
            "directory", Format.count(stats.announcements(), "change", "changes") + " unconfirmed"),
        line("own entries", states(stats)),
        line(
            "received",
            "%s, %s; %s failed, %s promoted"
                .formatted(
                    Format.count(stats.replicatedValues(), "replica", "replicas"),
                    Format.bytes(stats.replicatedBytes()),
                    Format.count(stats.failedReplications()),
                    Format.count(stats.promotions()))),
        line(
            "moved",
            "%s, %s, instead of being evicted; %s not moved"
                .formatted(
                    Format.count(stats.movedValues(), "value", "values"),
                    Format.bytes(stats.movedBytes()),
                    Format.count(stats.notMovedValues()))),
        line(
            "remote reads",
            "%s hits, %s misses, %s"
                .formatted(
                    Format.count(stats.remoteHits()),
                    Format.count(stats.remoteMisses()),
                    Format.percent(
                        (double) stats.remoteHits()
                            / (stats.remoteHits() + stats.remoteMisses())))),
        line(
            "fetches",
            "%s, %s, %s on average; %s shared, %s failed"
                .formatted(
                    Format.count(stats.fetches()),
                    Format.bytes(stats.fetchedBytes()),
                    Format.seconds(stats.fetchMicrosMean() / 1e6),
                    Format.count(stats.sharedFetches()),
                    Format.count(stats.failedFetches()))));
  }

  private static String states(ClusterStats stats) {
    return Arrays.stream(ValueState.values())
            .map(state ->
                "%s %s"
                    .formatted(
                        Format.count(stats.states().of(state)),
                        state.name().toLowerCase(Locale.ROOT)))
            .collect(Collectors.joining(", "))
        + "; %s removed".formatted(Format.count(stats.removedEntries()));
  }

  private static String line(String label, String value) {
    return "%-13s %s".formatted(label, value);
  }

  private static String of(long used, long capacity) {
    return "%s of %s".formatted(Format.bytes(used), Format.bytes(capacity));
  }

  /** A table of nodes. */
  static List<String> nodes(List<Member> nodes) {
    TextTable table =
        new TextTable(
            "",
            "NODE",
            "STATE",
            "ZONE",
            "RACK",
            ">MAIN STORE",
            ">REPLICAS",
            ">COMMANDS/S",
            "CLIENTS AT");
    for (Member node : nodes) {
      table.add(
          List.of(
              node.self() ? "*" : "",
              Format.text(node.name()),
              Format.text(node.state()),
              Format.text(node.zone()),
              Format.text(node.rack()),
              of(node.usedBytes(), node.capacityBytes()),
              of(node.replicaUsedBytes(), node.replicaCapacityBytes()),
              Format.count(node.commandsPerSecond()),
              Format.text(node.resp())));
    }
    List<String> lines = new ArrayList<>(table.lines());
    if (nodes.stream().map(Member::settings).distinct().count() > 1) {
      lines.add("The settings of the nodes differ. Set them to the same values under ebb.cluster:");
      nodes.forEach(node ->
          lines.add("  %s: %s".formatted(Format.text(node.name()), Format.text(node.settings()))));
    }
    return lines;
  }

  /** A table of values. */
  static List<String> values(List<ClusterValueDocument> values) {
    TextTable table =
        new TextTable("STATE", ">SIZE", "CRC32C", "PRIMARY", "REPLICAS", "EXPIRES IN", "KEY");
    for (ClusterValueDocument value : values) {
      String replicas = String.join(",", value.replicas());
      table.add(
          List.of(
              Format.text(value.state()),
              Format.bytes(value.bytes()),
              Format.text(value.crc32c()),
              Format.text(value.primary()),
              replicas.isEmpty() ? Format.UNKNOWN : Format.text(replicas),
              Format.until(value.expiresAt()),
              Format.key(value.key())));
    }
    return table.lines();
  }

  /** A node that has started to drain. */
  public static List<String> draining(Member node) {
    return node.state().equals("drained")
        ? drained(node)
        : List.of(
            "%s; 'ebb cluster nodes' shows when it is drained, and --wait waits for it"
                .formatted(progress(node)));
  }

  /** A node that is drained. */
  public static List<String> drained(Member node) {
    return List.of(
        "node '%s' is drained: it can be stopped without a loss"
            .formatted(Format.text(node.name())));
  }

  /** The progress of a drain. */
  public static String progress(Member node) {
    return "node '%s' is %s, %s with %s left"
        .formatted(
            Format.text(node.name()),
            Format.text(node.state()),
            Format.count(node.values(), "value", "values"),
            Format.bytes(node.usedBytes() + node.replicaUsedBytes()));
  }

  /** A migration that has started. */
  public static List<String> started(ClusterMigrationDocument migration) {
    return List.of(
        "migration %s has started: %s to node '%s'; 'ebb pool migration-status %s' shows its progress"
            .formatted(
                migration.id(),
                Format.count(migration.values(), "value", "values"),
                Format.text(migration.node()),
                migration.id()));
  }

  /** A migration that is done. */
  public static List<String> done(ClusterMigrationDocument migration) {
    return List.of(
        "migration %s is done: %s, %s, to node '%s' in %s"
            .formatted(
                migration.id(),
                Format.count(migration.valuesMoved(), "value", "values"),
                Format.bytes(migration.bytesMoved()),
                Format.text(migration.node()),
                Format.seconds(migration.seconds())));
  }

  /** The progress of a migration. */
  public static String progress(ClusterMigrationDocument migration) {
    return "migration %s: %s of %s, %s"
        .formatted(
            migration.id(),
            Format.count(migration.valuesMoved()),
            Format.count(migration.values(), "value", "values"),
            Format.bytes(migration.bytesMoved()));
  }

  /** A table of moves to other nodes. */
  public static List<String> migrations(List<ClusterMigrationDocument> moves) {
    if (moves.isEmpty()) {
      return List.of("no migration has been started");
    }
    TextTable table =
        new TextTable(">ID", "NODE", "STATE", ">MOVED", ">FAILED", ">BYTES", ">TIME", "ERROR");
    for (ClusterMigrationDocument each : moves) {
      table.add(
          List.of(
              Format.text(each.id()),
              Format.text(each.node()),
              Format.text(each.state()),
              "%s of %s".formatted(Format.count(each.valuesMoved()), Format.count(each.values())),
              Format.count(each.valuesFailed()),
              Format.bytes(each.bytesMoved()),
              Format.seconds(each.seconds()),
              Format.text(each.error())));
    }
    return table.lines();
  }
}
