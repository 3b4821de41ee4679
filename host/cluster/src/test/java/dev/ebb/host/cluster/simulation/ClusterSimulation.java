package dev.ebb.host.cluster.simulation;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.cluster.placement.CopyAction;
import dev.ebb.host.cluster.placement.CopyAction.Announce;
import dev.ebb.host.cluster.placement.CopyAction.DropLocal;
import dev.ebb.host.cluster.placement.CopyAction.Notify;
import dev.ebb.host.cluster.placement.CopyAction.Replicate;
import dev.ebb.host.cluster.placement.CopyAction.SetExpiry;
import dev.ebb.host.cluster.placement.CopyAction.TellDrop;
import dev.ebb.host.cluster.placement.CopyDecisions;
import dev.ebb.host.cluster.placement.CopySettings;
import dev.ebb.host.cluster.placement.LocalCopy;
import dev.ebb.host.cluster.placement.ReplicaPlacement;
import dev.ebb.host.cluster.placement.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of up to some thousand nodes and some million values, in virtual time. Each node runs
 * {@link CopyDecisions}; transfers and directory operations take the time that {@link
 * SimulatedLimits} allow. Values are equally large and immutable.
 */
public final class ClusterSimulation {

  private final CopySettings settings;
  private final SimulatedLimits limits;
  private final long valueBytes;
  private final Random random;
  private final List<ValueId> ids = new ArrayList<>();
  private final List<byte @Nullable []> entries = new ArrayList<>();
  private final Map<Integer, Node> nodes = new HashMap<>();
  private final Map<Integer, Long> replicaBytes = new HashMap<>();
  private final Map<Integer, CopyDecisions> decisions = new HashMap<>();
  private Topology topology = Topology.of(List.of());
  private ReplicaPlacement placement = new ReplicaPlacement(topology);
  private SimulatedLoad load = new SimulatedLoad();
  private long directoryOperations;
  private long decided;

  /** Creates a cluster without nodes. */
  public ClusterSimulation(
      CopySettings settings, SimulatedLimits limits, long valueBytes, long seed) {
    this.settings = settings;
    this.limits = limits;
    this.valueBytes = valueBytes;
    random = new Random(seed);
  }

  /** Adds nodes, in turn on each rack; half of the racks are in each of two zones. */
  public void addNodes(int count, int racks, long replicaCapacity) {
    for (int i = 0; i < count; i++) {
      int rack = i % racks;
      join("node" + nodes.size(), "rack" + rack, "zone" + rack % 2, replicaCapacity);
    }
    seeMembers();
  }

  /** Adds a node, and lets all nodes check all values. */
  public SimulatedEvent addNode(String name, String rack, String zone, long replicaCapacity) {
    join(name, rack, zone, replicaCapacity);
    return recheck(entry -> true);
  }

  private void join(String name, String rack, String zone, long capacity) {
    int id = Node.idOf(name);
    nodes.put(
        id,
        new Node(
            name, id, rack, zone, "", 0, "", "", NodeState.ACTIVE, 0, 0, capacity, 0, 0, 0, 0, ""));
  }

  /** Stores new values on random nodes. */
  public SimulatedEvent store(int values) {
    return event(
        0,
        () -> {
          for (int i = 0; i < values; i++) {
            int value = ids.size();
            ids.add(new ValueId(random.nextLong(), random.nextLong()));
            entries.add(null);
            Node node = topology.nodes().get(random.nextInt(topology.nodes().size()));
            Map<Integer, LocalCopy> copies = new HashMap<>();
            copies.put(node.id(), copy(false));
            settle(value, copies, List.of(node.id()), CheckReason.CHANGED);
          }
        });
  }

  /** Loses all nodes that meet a condition, and lets the others restore the copies. */
  public SimulatedEvent lose(Predicate<Node> lost) {
    Set<Integer> gone = new HashSet<>();
    nodes.values().stream().filter(lost).forEach(node -> gone.add(node.id()));
    nodes.keySet().removeAll(gone);
    return recheck(
        entry -> entry.holders().stream().anyMatch(holder -> gone.contains(holder.node())));
  }

  /** Drains all nodes that meet a condition. */
  public SimulatedEvent drain(Predicate<Node> drained) {
    Set<Integer> draining = new HashSet<>();
    nodes.replaceAll((id, node) -> {
      if (drained.test(node)) {
        draining.add(id);
        return with(node, NodeState.DRAINING);
      }
      return node;
    });
    return recheck(
        entry -> entry.holders().stream().anyMatch(holder -> draining.contains(holder.node())));
  }

  /** Returns the bytes of replicas per live node. */
  public LongSummaryStatistics replicaBytes() {
    return nodes.keySet().stream()
        .mapToLong(id -> replicaBytes.getOrDefault(id, 0L))
        .summaryStatistics();
  }

  /** Returns the bytes of replicas on a node. */
  public long replicaBytes(String name) {
    return replicaBytes.getOrDefault(Node.idOf(name), 0L);
  }

  /** Returns how many values have a copy on a node. */
  public long values(Predicate<Node> on) {
    long count = 0;
    for (byte[] entry : entries) {
      count +=
          entry != null
                  && DirectoryEntry.decode(entry).holders().stream()
                      .map(holder -> nodes.get(holder.node()))
                      .anyMatch(node -> node != null && on.test(node))
              ? 1
              : 0;
    }
    return count;
  }

  /** Every node reads the entries of its copies; values that are not affected need no action. */
  private SimulatedEvent recheck(Predicate<DirectoryEntry> affected) {
    return event(
        limits.detectionSeconds(),
        () -> {
          for (int value = 0; value < ids.size(); value++) {
            byte[] bytes = entries.get(value);
            if (bytes == null) {
              continue;
            }
            DirectoryEntry entry = DirectoryEntry.decode(bytes);
            if (affected.test(entry)) {
              Map<Integer, LocalCopy> copies = new HashMap<>();
              entry.holders().stream()
                  .filter(holder -> nodes.containsKey(holder.node()))
                  .forEach(holder -> copies.put(holder.node(), copy(holder.replica())));
              settle(value, copies, List.copyOf(copies.keySet()), CheckReason.RECHECKED);
            } else {
              operations(entry.holders().size());
            }
          }
        });
  }

  private SimulatedEvent event(double delay, Runnable run) {
    seeMembers();
    load = new SimulatedLoad();
    directoryOperations = 0;
    decided = 0;
    run.run();
    seeMembers();
    long lost = entries.stream().filter(Objects::isNull).count();
    long incomplete = 0;
    for (int value = 0; value < ids.size(); value++) {
      byte[] entry = entries.get(value);
      incomplete += entry != null && incomplete(DirectoryEntry.decode(entry)) ? 1 : 0;
    }
    Map<SimulatedLimit, Double> busy = load.seconds(limits, topology.nodes().size());
    double seconds = busy.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return new SimulatedEvent(
        lost,
        incomplete,
        load.transfers(),
        load.bytes(),
        directoryOperations,
        delay + seconds,
        busy,
        decided);
  }

  private boolean incomplete(DirectoryEntry entry) {
    List<Integer> active =
        entry.holders().stream().map(Holder::node).filter(topology::active).toList();
    return active.size() < settings.replicas() + 1
        || topology.racks(active) < settings.replicas() + 1
        || active.size() < entry.holders().size();
  }

  /** All nodes see the members and their used memory. */
  private void seeMembers() {
    nodes.replaceAll((id, node) -> with(node, node.state()));
    topology = Topology.of(nodes.values());
    placement = new ReplicaPlacement(topology);
    decisions.clear();
    nodes.keySet().forEach(id -> decisions.put(id, new CopyDecisions(id, placement, settings)));
  }

  private Node with(Node node, NodeState state) {
    return new Node(
        node.name(),
        node.id(),
        node.rack(),
        node.zone(),
        node.host(),
        node.transferPort(),
        node.resp(),
        node.admin(),
        state,
        node.capacityBytes(),
        node.usedBytes(),
        node.replicaCapacityBytes(),
        replicaBytes.getOrDefault(node.id(), 0L),
        node.commandsPerSecond(),
        node.clock(),
        0,
        "");
  }

  private record Check(int node, CheckReason reason) {}

  /** Executes the decisions on one value until there are no more. */
  private void settle(
      int value, Map<Integer, LocalCopy> copies, List<Integer> first, CheckReason reason) {
    Deque<Check> checks = new ArrayDeque<>();
    first.forEach(node -> checks.add(new Check(node, reason)));
    while (!checks.isEmpty()) {
      Check check = checks.remove();
      operations(1);
      for (CopyAction action : decide(value, copies, check)) {
        switch (action) {
          case Announce(var change, CheckReason next) -> {
            operations(1);
            DirectoryEntry changed = DirectoryEntry.apply(entry(value), change);
            entries.set(value, changed == null ? null : changed.encode());
            checks.addFirst(new Check(check.node(), next));
          }
          case Replicate(int to, boolean _) -> {
            // A node fetches a value once, however often it is offered.
            if (copies.putIfAbsent(to, copy(true)) == null) {
              replicaBytes.merge(to, valueBytes, Long::sum);
              load.transfer(node(check.node()), node(to), valueBytes);
            }
            checks.add(new Check(to, CheckReason.CHANGED));
            checks.add(new Check(check.node(), CheckReason.RECHECKED));
          }
          case DropLocal(long _, Set<Integer> _) -> {
            LocalCopy dropped = copies.remove(check.node());
            if (dropped != null && dropped.replica()) {
              replicaBytes.merge(check.node(), -valueBytes, Long::sum);
            }
            checks.add(new Check(check.node(), CheckReason.RECHECKED));
          }
          case Notify(int other) -> checks.add(new Check(other, CheckReason.NOTIFIED));
          case TellDrop _, SetExpiry _ ->
              throw new IllegalStateException("immutable values are not overwritten: " + action);
        }
      }
    }
  }

  private List<CopyAction> decide(int value, Map<Integer, LocalCopy> copies, Check check) {
    decided++;
    CopyDecisions node = Objects.requireNonNull(decisions.get(check.node()));
    return node.decide(ids.get(value), copies.get(check.node()), entry(value), check.reason());
  }

  private @Nullable DirectoryEntry entry(int value) {
    byte[] entry = entries.get(value);
    return entry == null ? null : DirectoryEntry.decode(entry);
  }

  private Node node(int id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  private LocalCopy copy(boolean replica) {
    return new LocalCopy(1, valueBytes, 0, Long.MAX_VALUE, true, replica, false);
  }

  private void operations(long count) {
    directoryOperations += count;
    load.directory(count);
  }
}
