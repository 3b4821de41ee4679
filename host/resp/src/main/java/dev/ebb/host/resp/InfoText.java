package dev.ebb.host.resp;

import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.RemoteValues.RemoteTraffic;
import dev.ebb.host.store.stats.StoreStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The reply to INFO: sections of {@code name:value} lines. */
final class InfoText {

  private static final Set<String> ALL = Set.of("DEFAULT", "ALL", "EVERYTHING");

  private InfoText() {}

  static String of(Connections connections, List<byte[]> asked) {
    Set<String> wanted = new TreeSet<>();
    asked.forEach(section -> wanted.add(Text.upper(section)));
    boolean all = wanted.isEmpty() || wanted.stream().anyMatch(ALL::contains);
    List<String> parts = new ArrayList<>();
    sections(connections)
        .forEach((name, lines) -> {
          if (all || wanted.contains(Text.upper(Text.bytes(name)))) {
            parts.add("# " + name + "\r\n" + String.join("", lines));
          }
        });
    return String.join("\r\n", parts);
  }

  private static Map<String, List<String>> sections(Connections connections) {
    StoreStats stats = connections.store.stats();
    RemoteTraffic traffic = connections.remote.traffic();
    Map<String, List<String>> sections = new LinkedHashMap<>();
    sections.put(
        "Server",
        List.of(
            line("redis_version", ServerCommands.REDIS_VERSION),
            line("redis_mode", "standalone"),
            line("server_name", "ebb"),
            line("process_id", ProcessHandle.current().pid()),
            line("tcp_port", connections.options.address().getPort()),
            line("uptime_in_seconds", connections.upSeconds())));
    sections.put(
        "Clients",
        List.of(
            line("connected_clients", connections.count()),
            line("maxclients", connections.options.clients().connections())));
    sections.put(
        "Memory",
        List.of(
            line("used_memory", stats.usedBytes()),
            line("maxmemory", stats.capacityBytes()),
            line("mem_clients_normal", connections.budget.usedBytes()),
            line("shared_memory_held", connections.shared.heldBytes()),
            line("maxmemory_policy", connections.store.site().policy())));
    sections.put(
        "Stats",
        List.of(
            line("total_connections_received", connections.connectionsEver()),
            line("rejected_connections", connections.rejected.sum()),
            line("evicted_clients", connections.evicted.sum()),
            line("stalled_clients", connections.stalled.sum()),
            line("failed_logins", connections.users.failedLogins()),
            line("total_commands_processed", connections.commands.sum()),
            line("keyspace_hits", stats.hits()),
            line("keyspace_misses", stats.misses()),
            line("remote_hits", connections.remoteHits.sum()),
            line("remote_misses", connections.remoteMisses.sum()),
            line("remote_failures", connections.remoteFailures.sum()),
            line("remote_read_bytes", traffic.readBytes()),
            line("replicated_bytes", traffic.replicatedBytes()),
            line("moved_bytes", traffic.movedBytes()),
            line("evicted_keys", stats.evicted()),
            line("expired_keys", stats.expired()),
            line("stored_values", stats.stored()),
            line("not_admitted_values", stats.notAdmitted()),
            line("pinned_entries", stats.pinned()),
            line("pinned_bytes", stats.pinnedBytes()),
            line("premature_evictions", stats.prematureEvictions().count()),
            line("thinned_objects", stats.hybrid().thinned()),
            line("unusable_chunks_evicted", stats.hybrid().useless()),
            line("useless_bytes", stats.hybrid().uselessBytes()),
            line("lost_prefix_hits", stats.hybrid().lostHits())));
    Map<String, Object> disk = connections.remote.figures();
    if (!disk.isEmpty()) {
      List<String> lines = new ArrayList<>();
      disk.forEach((name, value) -> lines.add(line(name, value)));
      sections.put("Disk", lines);
    }
    sections.put("Replication", List.of(line("role", "master"), line("connected_slaves", 0)));
    sections.put(
        "Keyspace",
        stats.keys() == 0
            ? List.of()
            : List.of(
                line(
                    "db0",
                    "keys=%d,expires=%d,avg_ttl=0".formatted(stats.keys(), stats.expiring()))));
    return sections;
  }

  private static String line(String name, Object value) {
    return name + ":" + value + "\r\n";
  }
}
