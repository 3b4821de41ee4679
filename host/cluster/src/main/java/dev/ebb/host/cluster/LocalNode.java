package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.store.stats.StoreStats;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node, as it describes itself to the other nodes. */
final class LocalNode {

  private static final Logger LOG = LoggerFactory.getLogger(LocalNode.class);

  private final int id;
  private final ClusterNode cluster;

  /** The nodes with other settings; used by the timer only. */
  private final Set<Integer> differing = new HashSet<>();

  /**
   * A drain is over if nothing has left for so long: longer than until a copy that another node
   * could not make is tried again.
   */
  private static final int STALLED_SECONDS = 20;

  private volatile NodeState state = NodeState.ACTIVE;
  private volatile boolean takesReplicas;
  private volatile String resp = "";
  private volatile String admin = "";
  private volatile LongSupplier commands = () -> 0;
  private long leastLeft = Long.MAX_VALUE;
  private int secondsStalled;
  private long lastCommands;
  private long lastNanos = System.nanoTime();

  LocalNode(int id, ClusterNode cluster) {
    this.id = id;
    this.cluster = cluster;
  }

  NodeState state() {
    return state;
  }

  synchronized void state(NodeState next) {
    LOG.info("node state={}", next);
    state = next;
  }

  /** Ends a drain; returns false if the node has been activated meanwhile. */
  synchronized boolean endDrain() {
    boolean drains = state == NodeState.DRAINING;
    if (drains) {
      state(NodeState.DRAINED);
    }
    return drains;
  }

  /**
   * Returns whether a drain is over: nothing is left, or no other node has had room for what is. It
   * must be called once a second.
   *
   * @param moving whether copies are on their way
   */
  boolean isDrained(boolean moving) {
    long left =
        cluster.stores.main().stats().usedBytes() + cluster.stores.replicas().stats().usedBytes();
    boolean draining = state == NodeState.DRAINING;
    if (!draining || left < leastLeft) {
      leastLeft = left;
      secondsStalled = 0;
    } else if (!moving) {
      secondsStalled++;
    }
    boolean over = draining && (left == 0 || secondsStalled >= STALLED_SECONDS);
    if (over && left > 0) {
      LOG.warn("no other node has free memory for values of this drained node, bytes={}", left);
    }
    return over;
  }

  void takeReplicas() {
    takesReplicas = true;
  }

  /** Adds its servers, and what counts the executed commands. */
  void serving(
      InetSocketAddress clients, @Nullable InetSocketAddress operators, LongSupplier executed) {
    resp = shown(clients);
    admin = operators == null ? "" : shown(operators);
    commands = executed;
  }

  /** Returns where other hosts reach a server of this node. */
  private String shown(InetSocketAddress address) {
    String host =
        address.getAddress().isAnyLocalAddress()
            ? cluster.config.listen().bind()
            : address.getAddress().getHostAddress();
    return new HostPort(host, address.getPort()).toString();
  }

  Node description(int transferPort) {
    StoreStats main = cluster.stores.main().stats();
    StoreStats replicas = cluster.stores.replicas().stats();
    return new Node(
        cluster.config.node(),
        id,
        cluster.config.rack(),
        cluster.config.zone(),
        cluster.config.listen().bind(),
        transferPort,
        resp,
        admin,
        state,
        main.capacityBytes(),
        main.usedBytes(),
        takesReplicas ? replicas.capacityBytes() : 0,
        replicas.usedBytes(),
        load(),
        cluster.clock.last(),
        main.keys() + replicas.keys(),
        settings());
  }

  private synchronized double load() {
    long now = System.nanoTime();
    long executed = commands.getAsLong();
    double perSecond = (executed - lastCommands) * 1e9 / Math.max(1, now - lastNanos);
    lastCommands = executed;
    lastNanos = now;
    return perSecond;
  }

  /** Returns the settings that must be equal on all nodes. */
  private String settings() {
    return "replicas = %d, on-evict = %s, tls.values = %s, disk tier = %s"
        .formatted(
            cluster.config.replicas(),
            cluster.config.onEvict().name().toLowerCase(Locale.ROOT).replace('_', '-'),
            cluster.config.isProtected() && cluster.config.tlsForValues(),
            cluster.stores.disk().isOn());
  }

  /** Warns once about each node whose settings differ from those of this node. */
  void compareSettings(List<Node> nodes) {
    String settings = settings();
    for (Node node : nodes) {
      if (node.settings().equals(settings)) {
        differing.remove(node.id());
      } else if (differing.add(node.id())) {
        LOG.warn(
            "node '{}' has {}, and this node has {}: set these keys of ebb.cluster to the same"
                + " values on all nodes",
            node.name(),
            node.settings(),
            settings);
      }
    }
  }
}
