package dev.ebb.host.cluster;

import com.google.inject.Key;
import com.google.inject.Module;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.errors.UserError;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in this process: nodes with the sizes of their values. A drain or migration moves one
 * value each time that somebody looks at its progress.
 */
public final class MemoryCluster implements ClusterView {

  private static final long NODE_BYTES = 1 << 20;

  private static final class Member {
    private final String name;
    private final String zone;
    private final String rack;
    private final double load;
    private NodeState state = NodeState.ACTIVE;
    private int copies = 1;

    Member(String name, String zone, String rack, double load) {
      this.name = name;
      this.zone = zone;
      this.rack = rack;
      this.load = load;
    }
  }

  private static final class Value {
    private final byte[] bytes;
    private String primary;
    private final List<String> replicas;

    Value(byte[] bytes, String primary, List<String> replicas) {
      this.bytes = bytes;
      this.primary = primary;
      this.replicas = new ArrayList<>(replicas);
    }
  }

  private static final class Move {
    private final long id;
    private final String target;
    private final List<String> keys;
    private final List<String> errors = new ArrayList<>();
    private int next;
    private long bytes;

    Move(long id, String target, List<String> keys) {
      this.id = id;
      this.target = target;
      this.keys = keys;
    }
  }

  private final TreeMap<String, Member> members = new TreeMap<>();
  private final Map<String, Value> values = new HashMap<>();
  private final List<Move> moves = new ArrayList<>();
  private final String self;
  private long remoteHits;
  private long remoteMisses;
  private long fetchedBytes;
  private boolean full;

  /** Creates a cluster with one node, which answers. */
  public MemoryCluster(String self, String zone, String rack) {
    this.self = self;
    node(self, zone, rack, 100);
  }

  /** Adds a node. */
  public synchronized MemoryCluster node(String name, String zone, String rack, double load) {
    members.put(name, new Member(name, zone, rack, load));
    return this;
  }

  /** Removes a node; its primary values get another one, or are lost. */
  public synchronized void lose(String name) {
    members.remove(name);
    values.values().forEach(value -> value.replicas.remove(name));
    values.values().removeIf(value -> value.primary.equals(name) && value.replicas.isEmpty());
    values.values().stream()
        .filter(value -> value.primary.equals(name))
        .forEach(value -> value.primary = value.replicas.removeFirst());
  }

  /** Starts a node again with another {@code ebb.cluster.replicas}. */
  public synchronized void replicas(String name, int copies) {
    Objects.requireNonNull(members.get(name)).copies = copies;
  }

  /** Stores a value. */
  public synchronized MemoryCluster put(String key, int bytes, String primary, String... replicas) {
    values.put(key, new Value(new byte[bytes], primary, List.of(replicas)));
    return this;
  }

  /** Reads a value that another node has. */
  public synchronized void read(String key) {
    Value value = values.get(key);
    if (value == null) {
      remoteMisses++;
    } else {
      remoteHits++;
      fetchedBytes += value.bytes.length;
    }
  }

  /** Binds it as the cluster of a process. */
  public Module module() {
    return binder -> binder.bind(new Key<Optional<ClusterView>>() {}).toInstance(Optional.of(this));
  }

  @Override
  public void serving(
      InetSocketAddress clients, @Nullable InetSocketAddress operators, LongSupplier executed) {
    // Its nodes are given.
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public Node self() {
    return nodes().stream().filter(node -> node.name().equals(self)).findFirst().orElseThrow();
  }

  @Override
  public synchronized List<Node> nodes() {
    members.values().stream()
        .filter(member -> member.state == NodeState.DRAINING)
        .forEach(this::moveOne);
    return members.values().stream().map(this::describe).toList();
  }

  /** Leaves no node with room for the values of another one. */
  public synchronized void fill() {
    full = true;
  }

  private void moveOne(Member from) {
    Optional<Value> next =
        values.values().stream().filter(value -> value.primary.equals(from.name)).findAny();
    if (next.isPresent() && !full) {
      next.get().primary = taker(from.name).orElseThrow().name;
    } else {
      values.values().forEach(value -> value.replicas.remove(from.name));
      from.state = NodeState.DRAINED;
    }
  }

  private Optional<Member> taker(String from) {
    return members.values().stream()
        .filter(member -> member.state == NodeState.ACTIVE && !member.name.equals(from))
        .findFirst();
  }

  private Node describe(Member member) {
    return new Node(
        member.name,
        Node.idOf(member.name),
        member.rack,
        member.zone,
        "10.0.0." + members.headMap(member.name).size(),
        7_481,
        member.name + ":6380",
        member.name.equals(self) ? "" : member.name + ":9090",
        member.state,
        NODE_BYTES,
        bytes(value -> value.primary.equals(member.name)),
        NODE_BYTES / 4,
        bytes(value -> value.replicas.contains(member.name)),
        member.load,
        1,
        values.values().stream()
            .filter(each -> each.primary.equals(member.name) || each.replicas.contains(member.name))
            .count(),
        "replicas = " + member.copies);
  }

  private long bytes(Predicate<Value> which) {
    return values.values().stream().filter(which).mapToLong(value -> value.bytes.length).sum();
  }

  @Override
  public synchronized long values() {
    return values.size();
  }

  @Override
  public synchronized ClusterStats stats() {
    long own = values.values().stream().filter(this::isOwn).count();
    long copied =
        values.values().stream().filter(this::isOwn).filter(v -> !v.replicas.isEmpty()).count();
    long received = values.values().stream().filter(value -> value.replicas.contains(self)).count();
    return new ClusterStats(
        own - copied,
        own == copied ? 0 : 1_500,
        own - copied,
        values.values().stream().filter(this::isOwn).filter(this::isOnOneRack).count(),
        0,
        received,
        bytes(value -> value.replicas.contains(self)),
        0,
        0,
        0,
        0,
        0,
        remoteHits,
        remoteMisses,
        remoteHits,
        0,
        0,
        fetchedBytes,
        remoteHits == 0 ? 0 : 850,
        Math.min(fetchedBytes, NODE_BYTES / 10),
        NODE_BYTES / 10,
        new ValueCounts(0, own - copied, copied, 0, 0, 0),
        0);
  }

  private boolean isOwn(Value value) {
    return value.primary.equals(self);
  }

  private boolean isOnOneRack(Value value) {
    return value.replicas.stream()
        .allMatch(node -> known(node).rack.equals(known(value.primary).rack));
  }

  @Override
  public synchronized CompletableFuture<Optional<ValuePlace>> find(byte[] key) {
    return CompletableFuture.completedFuture(
        Optional.ofNullable(values.get(text(key))).map(MemoryCluster::place));
  }

  private static ValuePlace place(Value value) {
    CRC32C crc = new CRC32C();
    crc.update(value.bytes);
    return new ValuePlace(
        value.replicas.isEmpty() ? ValueState.REPLICATING : ValueState.ACTIVE,
        7,
        value.bytes.length,
        (int) crc.getValue(),
        Long.MAX_VALUE,
        false,
        value.primary,
        value.replicas);
  }

  @Override
  public synchronized CompletableFuture<List<Route>> route(List<byte[]> keys, int chunkTokens) {
    List<Node> nodes = nodes();
    double busiest = nodes.stream().mapToDouble(Node::commandsPerSecond).max().orElse(1);
    return CompletableFuture.completedFuture(
        nodes.stream()
            .filter(node -> node.state() == NodeState.ACTIVE)
            .map(node -> route(node, keys, chunkTokens, busiest))
            .sorted(Comparator.comparingInt(Route::prefixKeys).reversed())
            .toList());
  }

  private Route route(Node node, List<byte[]> keys, int chunkTokens, double busiest) {
    int prefix = 0;
    while (prefix < keys.size() && has(node.name(), text(keys.get(prefix)))) {
      prefix++;
    }
    long move = 0;
    for (byte[] key : keys.subList(prefix, keys.size())) {
      Value value = values.get(text(key));
      move += value == null ? 0 : value.bytes.length;
    }
    return new Route(
        node, prefix, (long) prefix * chunkTokens, move, node.commandsPerSecond() / busiest);
  }

  private boolean has(String node, String key) {
    Value value = values.get(key);
    return value != null && (value.primary.equals(node) || value.replicas.contains(node));
  }

  @Override
  public synchronized void drain(String node) {
    Member member = known(node);
    if (taker(node).isEmpty()) {
      throw new UserError("node '%s' cannot be drained: no other node is active".formatted(node));
    }
    member.state = NodeState.DRAINING;
  }

  @Override
  public synchronized void activate(String node) {
    known(node).state = NodeState.ACTIVE;
  }

  private Member known(String node) {
    Member member = members.get(node);
    if (member == null) {
      throw new UserError("no node '%s'; the cluster has %s".formatted(node, members.keySet()));
    }
    return member;
  }

  @Override
  public synchronized NodeMigration migrate(List<byte[]> keys, String node) {
    known(node);
    Move move = new Move(moves.size() + 1L, node, keys.stream().map(MemoryCluster::text).toList());
    moves.addFirst(move);
    return migration(move);
  }

  @Override
  public synchronized List<NodeMigration> migrations() {
    moves.stream().filter(move -> move.next < move.keys.size()).forEach(this::moveOne);
    return moves.stream().map(MemoryCluster::migration).toList();
  }

  private void moveOne(Move move) {
    String key = move.keys.get(move.next++);
    Value value = values.get(key);
    if (value == null) {
      move.errors.add("no node has '%s'".formatted(key));
    } else {
      value.primary = move.target;
      move.bytes += value.bytes.length;
    }
  }

  private static NodeMigration migration(Move move) {
    boolean over = move.next == move.keys.size();
    NodeMigration.State state =
        !over
            ? NodeMigration.State.COPYING
            : move.errors.isEmpty() ? NodeMigration.State.DONE : NodeMigration.State.FAILED;
    return new NodeMigration(
        move.id,
        move.target,
        state,
        move.keys.size(),
        move.next - move.errors.size(),
        move.errors.size(),
        move.bytes,
        move.next * 0.25,
        move.errors.isEmpty() ? "" : move.errors.getLast());
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}
