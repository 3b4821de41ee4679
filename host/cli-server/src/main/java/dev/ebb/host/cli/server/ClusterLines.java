package dev.ebb.host.cli.server;

import dev.ebb.host.admin.cluster.ClusterDocument;
import dev.ebb.host.admin.cluster.ClusterDocument.Member;
import dev.ebb.host.admin.cluster.ClusterMigrationDocument;
import dev.ebb.host.admin.cluster.ClusterValueDocument;
import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.http.Json;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A cluster as text, from a server's documents. */
public final class ClusterLines {

  /** The node that answers. */
  static final TextTemplate<ClusterDocument> STATUS =
      TextTemplate.of(
          ClusterDocument.class,
          """
          cluster       {name}, {nodes:node|nodes}, {values:value|values}
          this node     {self.name}, zone {self.zone}, rack {self.rack}, {self.state}
          main store    {self.usedBytes:bytes} of {self.capacityBytes:bytes}
          replicas      {self.replicaUsedBytes:bytes} of {self.replicaCapacityBytes:bytes}
          read cache    {stats.readCacheUsedBytes:bytes} of {stats.readCacheCapacityBytes:bytes}
          replication   lag {lag:seconds}, {stats.pendingReplications:count} pending, {stats.underReplicated:count} under-replicated, {stats.rackUnsafe:count} on one rack
          directory     {stats.announcements:change|changes} unconfirmed
          own entries   {states}; {stats.removedEntries:count} removed
          received      {stats.replicatedValues:replica|replicas}, {stats.replicatedBytes:bytes}; {stats.failedReplications:count} failed, {stats.promotions:count} promoted
          moved         {stats.movedValues:value|values}, {stats.movedBytes:bytes}, instead of being evicted; {stats.notMovedValues:count} not moved
          remote reads  {stats.remoteHits:count} hits, {stats.remoteMisses:count} misses, {hitRatio:percent}
          fetches       {stats.fetches:count}, {stats.fetchedBytes:bytes}, {fetchTime:seconds} on average; {stats.sharedFetches:count} shared, {stats.failedFetches:count} failed
          """,
          new Computed<>("lag", cluster -> cluster.stats().replicationLagMillis() / 1e3),
          new Computed<>("states", cluster -> states(cluster.stats())),
          new Computed<>("hitRatio", cluster -> hitRatio(cluster.stats())),
          new Computed<>("fetchTime", cluster -> cluster.stats().fetchMicrosMean() / 1e6));

  private static final Columns<Member> NODES =
      Columns.of(
          Member.class,
          """
           | [{?self}*]
          NODE | {name}
          STATE | {state}
          ZONE | {zone}
          RACK | {rack}
          >MAIN STORE | {usedBytes:bytes} of {capacityBytes:bytes}
          >REPLICAS | {replicaUsedBytes:bytes} of {replicaCapacityBytes:bytes}
          >COMMANDS/S | {commandsPerSecond:count}
          CLIENTS AT | {resp}
          """);

  /** A table of values. */
  static final Columns<ClusterValueDocument> VALUES =
      Columns.of(
          ClusterValueDocument.class,
          """
          STATE | {state}
          >SIZE | {bytes:bytes}
          CRC32C | {crc32c}
          PRIMARY | {primary}
          REPLICAS | {replicas}
          EXPIRES IN | {expiresAt:until}
          KEY | {key:key}
          """,
          new Computed<>("replicas", ClusterLines::replicas));

  private static final Columns<ClusterMigrationDocument> MIGRATIONS =
      Columns.of(
          ClusterMigrationDocument.class,
          """
          >ID | {id}
          NODE | {node}
          STATE | {state}
          >MOVED | {valuesMoved:count} of {values:count}
          >FAILED | {valuesFailed:count}
          >BYTES | {bytesMoved:bytes}
          >TIME | {seconds:seconds}
          ERROR | {error}
          """);

  /** A node that is drained. */
  static final TextTemplate<Member> DRAINED =
      TextTemplate.of(Member.class, "node '{name}' is drained: it can be stopped without a loss");

  /** A node that is drained as far as the others have room. */
  static final TextTemplate<Member> LEFT_BEHIND =
      TextTemplate.of(
          Member.class,
          "node '{name}' is drained, but {values:value|values} with {left:bytes} stay: no other node has free memory for them."
              + " They are lost when it stops. Add a node or memory, or delete values: the node hands them over when there is room."
              + " To keep the node, run 'ebb cluster activate {name}'",
          new Computed<>("left", ClusterLines::left));

  /** The progress of a drain. */
  static final TextTemplate<Member> DRAINING =
      TextTemplate.of(
          Member.class,
          "node '{name}' is {state}, {values:value|values} with {left:bytes} left",
          new Computed<>("left", ClusterLines::left));

  public static final TextTemplate<ClusterMigrationDocument> STARTED =
      TextTemplate.of(
          ClusterMigrationDocument.class,
          "migration {id} has started: {values:value|values} to node '{node}';"
              + " 'ebb pool migration-status {id}' shows its progress");

  public static final TextTemplate<ClusterMigrationDocument> DONE =
      TextTemplate.of(
          ClusterMigrationDocument.class,
          "migration {id} is done: {valuesMoved:value|values}, {bytesMoved:bytes}, to node '{node}'"
              + " in {seconds:seconds}");

  /** The progress of a migration. */
  public static final TextTemplate<ClusterMigrationDocument> COPYING =
      TextTemplate.of(
          ClusterMigrationDocument.class,
          "migration {id}: {valuesMoved:count} of {values:value|values}, {bytesMoved:bytes}");

  private ClusterLines() {}

  private static long left(Member node) {
    return node.usedBytes() + node.replicaUsedBytes();
  }

  private static String states(ClusterStats stats) {
    return Arrays.stream(ValueState.values())
        .map(state -> Format.count(stats.states().of(state)) + " " + Json.word(state))
        .collect(Collectors.joining(", "));
  }

  private static double hitRatio(ClusterStats stats) {
    return (double) stats.remoteHits() / (stats.remoteHits() + stats.remoteMisses());
  }

  private static @Nullable String replicas(ClusterValueDocument value) {
    return value.replicas().isEmpty() ? null : String.join(",", value.replicas());
  }

  /** A table of nodes. */
  static List<String> nodes(List<Member> nodes) {
    List<String> lines = new ArrayList<>(NODES.lines(nodes));
    if (nodes.stream().map(Member::settings).distinct().count() > 1) {
      lines.add("The settings of the nodes differ. Set them to the same values under ebb.cluster:");
      nodes.forEach(node ->
          lines.add("  %s: %s".formatted(Format.text(node.name()), Format.text(node.settings()))));
    }
    return lines;
  }

  /** A node that has started to drain. */
  static List<String> draining(Member node) {
    return node.state().equals("drained")
        ? (node.values() == 0 ? DRAINED : LEFT_BEHIND).lines(node)
        : List.of(
            "%s; 'ebb cluster nodes' shows when it is drained, and --wait waits for it"
                .formatted(DRAINING.line(node)));
  }

  /** A table of moves to other nodes. */
  public static List<String> migrations(List<ClusterMigrationDocument> moves) {
    return moves.isEmpty() ? List.of("no migration has been started") : MIGRATIONS.lines(moves);
  }
}
