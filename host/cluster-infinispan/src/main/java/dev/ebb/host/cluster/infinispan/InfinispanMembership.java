package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.infinispan.NodeCodec.NodeProcess;
import dev.ebb.host.cluster.infinispan.OwnershipWatch.Entries;
import dev.ebb.host.errors.UserError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.context.Flag;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryCreated;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryModified;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryRemoved;
import org.infinispan.notifications.cachelistener.annotation.TopologyChanged;
import org.infinispan.notifications.cachelistener.event.CacheEntryEvent;
import org.infinispan.notifications.cachelistener.event.TopologyChangedEvent;
import org.infinispan.notifications.cachemanagerlistener.annotation.Merged;
import org.infinispan.notifications.cachemanagerlistener.annotation.ViewChanged;
import org.infinispan.notifications.cachemanagerlistener.event.MergeEvent;
import org.infinispan.notifications.cachemanagerlistener.event.ViewChangedEvent;
import org.infinispan.remoting.transport.Address;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of JGroups' view that have published themselves in a replicated cache. One thread
 * compares the state of both with what listeners know, after any event.
 */
final class InfinispanMembership implements Membership, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

  /** A process that was killed is in the view until its failure is detected. */
  private static final long CLASH_MILLIS = 5_000;

  /** Events come in groups. */
  private static final long SETTLE_MILLIS = 20;

  /** A record of a node that was lost. */
  private static final int RECORD_SECONDS = 60;

  /** A change that had no event. */
  private static final long CHECK_MILLIS = 1_000;

  private final EmbeddedCacheManager manager;
  private final AdvancedCache<byte[], byte[]> records;
  private final UUID process;
  private final List<Membership.ChangeListener> listeners = new CopyOnWriteArrayList<>();
  private final Semaphore events = new Semaphore(0);
  private final Thread thread;
  private volatile Node self;
  private volatile List<Node> nodes;
  private volatile boolean merged;
  private volatile boolean closed;
  private volatile @Nullable OwnershipWatch ownership;
  private Set<Identity> known = Set.of();

  /** The properties of a node that listeners hear of. */
  private record Identity(UUID process, NodeState state, boolean takesReplicas) {

    static Identity of(NodeProcess process) {
      Node node = process.node();
      return new Identity(process.process(), node.state(), node.replicaCapacityBytes() > 0);
    }
  }

  /**
   * Joins with a node's record.
   *
   * @param records the replicated cache of the nodes' records
   * @throws UserError if another live node has the same name
   */
  InfinispanMembership(
      EmbeddedCacheManager manager, AdvancedCache<byte[], byte[]> records, Node self) {
    this.manager = manager;
    this.records = records;
    this.self = self;
    this.nodes = List.of(self);
    this.process = manager.getAddress().getNodeUUID();
    claimName();
    this.thread = Thread.ofPlatform().name("ebb-membership").daemon().unstarted(this::run);
  }

  private void claimName() {
    byte[] key = key(self);
    byte[] mine = NodeCodec.encode(new NodeProcess(process, self));
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLASH_MILLIS);
    while (true) {
      byte[] other = records.putIfAbsent(key, mine);
      if (other == null) {
        return;
      }
      NodeProcess holder = NodeCodec.decode(other);
      if (!members().contains(holder.process())) {
        if (records.replace(key, other, mine)) {
          return;
        }
      } else if (System.nanoTime() > end) {
        throw clash(holder.node());
      }
      pause();
    }
  }

  private UserError clash(Node other) {
    return new UserError(
        "node '%s' is in the cluster already, with '%s:%d' for values; set ebb.cluster.node to another name, or stop the other node"
            .formatted(self.name(), other.host(), other.transferPort()));
  }

  /** Starts to report changes; of a directory, if it may lose entries. */
  void start(AdvancedCache<?, ?> directory) {
    ownership = new OwnershipWatch(directory);
    Events source = new Events();
    manager.addListener(source);
    records.addListener(source);
    directory.addListener(new TopologyEvents());
    update();
    thread.start();
  }

  @Override
  public Node self() {
    return self;
  }

  @Override
  public List<Node> nodes() {
    return nodes;
  }

  @Override
  public void publish(Node node) {
    if (node.id() != self.id() || !node.name().equals(self.name())) {
      throw new IllegalArgumentException(
          "node '%s' publishes itself as '%s'".formatted(self.name(), node.name()));
    }
    self = node;
    CompletableFuture<?> _ =
        records
            .putAsync(
                key(node),
                NodeCodec.encode(new NodeProcess(process, node)),
                RECORD_SECONDS,
                TimeUnit.SECONDS)
            .whenComplete((before, failure) -> {
              if (failure != null && !closed) {
                LOG.debug("state not published", failure);
              }
            });
    events.release();
  }

  @Override
  public void listen(Membership.ChangeListener listener) {
    listeners.add(listener);
  }

  private static byte[] key(Node node) {
    return node.name().getBytes(StandardCharsets.UTF_8);
  }

  private Set<UUID> members() {
    List<Address> view = manager.getMembers();
    return view == null
        ? Set.of(process)
        : view.stream().map(Address::getNodeUUID).collect(Collectors.toSet());
  }

  private void run() {
    while (!closed) {
      try {
        events.tryAcquire(CHECK_MILLIS, TimeUnit.MILLISECONDS);
        pause();
        events.drainPermits();
        update();
      } catch (InterruptedException stop) {
        return;
      } catch (RuntimeException failed) {
        if (!closed) {
          LOG.debug("state of the cluster not read", failed);
        }
      }
    }
  }

  private void update() {
    Set<UUID> members = members();
    List<Node> now = new ArrayList<>();
    Set<Identity> identities = new HashSet<>();
    for (Map.Entry<byte[], byte[]> entry : records.withFlags(Flag.CACHE_MODE_LOCAL).entrySet()) {
      NodeProcess other = NodeCodec.decode(entry.getValue());
      boolean mine = other.process().equals(process);
      if (!mine && members.contains(other.process())) {
        now.add(other.node());
        identities.add(Identity.of(other));
      }
    }
    now.add(self);
    now.sort(Comparator.comparing(Node::name));
    logChange(nodes, now);
    nodes = List.copyOf(now);
    boolean changed = !identities.equals(known);
    known = identities;
    OwnershipWatch watch = ownership;
    Entries entries = watch == null ? Entries.UNCHANGED : watch.compare(members, merged);
    boolean lost = entries == Entries.LOST;
    if (lost) {
      merged = false;
    }
    if (changed || entries != Entries.UNCHANGED) {
      listeners.forEach(listener -> report(listener, lost));
    }
  }

  private static void logChange(List<Node> before, List<Node> now) {
    log(before, now, "left");
    log(now, before, "joined");
  }

  /** Logs the nodes that are among some nodes and not among others. */
  private static void log(List<Node> some, List<Node> others, String event) {
    Set<Integer> ids = others.stream().map(Node::id).collect(Collectors.toSet());
    some.stream()
        .filter(node -> !ids.contains(node.id()))
        .forEach(node -> LOG.info("node '{}' {} the cluster", node.name(), event));
  }

  private static void report(Membership.ChangeListener listener, boolean lost) {
    try {
      listener.changed(lost);
    } catch (RuntimeException failed) {
      LOG.warn("a change of the cluster's members was not handled", failed);
    }
  }

  static void pause() {
    try {
      Thread.sleep(SETTLE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the cluster starts", interrupted);
    }
  }

  /** Waits until the directory is on two nodes again, so that this one can leave. */
  boolean awaitReplicated(long millis) {
    OwnershipWatch watch = ownership;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (watch != null && !watch.replicated(members())) {
      if (System.nanoTime() > end) {
        return false;
      }
      pause();
    }
    return true;
  }

  /** Leaves: the others do not list this node any more. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      records.removeAsync(key(self)).get(1, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException late) {
      LOG.debug("the record of this node was not removed", late);
    }
  }

  /** Events of the view and of the nodes' records. */
  @Listener
  final class Events {

    @ViewChanged
    public void view(ViewChangedEvent event) {
      events.release();
    }

    @Merged
    public void merge(MergeEvent event) {
      merged = true;
      events.release();
    }

    @CacheEntryCreated
    @CacheEntryModified
    @CacheEntryRemoved
    public void record(CacheEntryEvent<byte[], byte[]> event) {
      events.release();
    }
  }

  /** Events of the owners of the directory's entries. */
  @Listener
  final class TopologyEvents {

    @TopologyChanged
    public void topology(TopologyChangedEvent<?, ?> event) {
      events.release();
    }
  }
}
