package dev.ebb.host.cluster;

import dev.ebb.host.cluster.change.MissedChanges;
import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.HybridClock;
import dev.ebb.host.cluster.directory.JoinedCluster;
import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.cluster.pending.PendingWrites;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.cluster.placement.CopySettings;
import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.config.server.ClusterConfig.OnEvictChoice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.chain.RequestListener;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferException;
import dev.ebb.host.transfer.TransferServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process as a node of a cluster: its copies, and how it serves those of other nodes. */
public final class ClusterNode implements ClusterView, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** Every key is checked against the directory after this time, whatever was missed. */
  private static final int CHECK_ALL_SECONDS = 600;

  /** The values of the directory are counted at least that often. */
  private static final int COUNT_SECONDS = 5;

  /**
   * Every key is checked again after this time since nodes joined or left: other nodes may have
   * seen that later than this one.
   */
  private static final int CHECK_AGAIN_SECONDS = 5;

  /** A node that left and was not paused has not returned after this time. */
  private static final int SETTLED_SECONDS = 60;

  private static final long TICK_MILLIS = 1_000;
  private static final int JOIN_SECONDS = 30;
  private static final int STATE_CHECKS = 100;
  private static final long STATE_CHECK_MILLIS = 20;

  /** A node that is not active tries again to hand over what it could not, after this time. */
  private static final int DRAIN_SECONDS = 5;

  final ClusterConfig config;
  private final Closer opened;
  final LocalStores stores;
  final HybridClock clock;
  final LocalNode local;
  final Membership membership;
  final Directory directory;
  final Members members;
  final PendingWrites writes;
  final ChangedKeys changedKeys;
  final NodeThreads threads;
  final Peers peers;
  final Fetcher fetcher;
  final Replication replication;
  final Reconciler reconciler;
  final EvictionOffload offload;
  final RemoteReads reads;
  final MissedChanges missedChanges;
  private final RemoteValues remoteValues;
  private final Routing routing;
  final NodeMigrations migrations;
  private final DrainTransfer drainTransfer;
  private final NodeMessages messages;
  final CopySettings settings;
  private final DirectorySweep sweep;

  private final CountDownLatch joined = new CountDownLatch(1);
  private final AtomicInteger seconds = new AtomicInteger();
  private volatile int membersChangedAt;
  private volatile CheckReason checkAgain = CheckReason.RECHECKED;

  static ClusterNode start(ClusterConfig config, LocalStores stores) {
    return start(config, stores, UnaryOperator.identity());
  }

  static ClusterNode start(
      ClusterConfig config, LocalStores stores, UnaryOperator<Directory> directory) {
    Closer opened = new Closer();
    try {
      return new ClusterNode(config, stores, opened, directory);
    } catch (RuntimeException | Error failed) {
      opened.close();
      throw failed;
    }
  }

  private ClusterNode(
      ClusterConfig config,
      LocalStores stores,
      Closer opened,
      UnaryOperator<Directory> seenDirectory) {
    this.config = config;
    this.opened = opened;
    this.stores = stores;
    int id = Node.idOf(config.node() + "@" + System.currentTimeMillis());
    clock = new HybridClock(id);
    local = new LocalNode(id, this);
    SSLContext tls = NodeTransfers.tls(config, opened);
    TransferServer server = opened.add(server(config, tls));
    TransferClient client =
        opened.add(new TransferClient(NodeTransfers.clientOptions(config, tls)));
    JoinedCluster cluster =
        opened.add(
            JoinedCluster.provider().join(config, local.description(server.address().getPort())));
    membership = cluster.membership();
    directory = seenDirectory.apply(cluster.directory());
    members = new Members(membership);
    writes = new PendingWrites(config.replicas());
    writes.nodes(members.otherIds());
    changedKeys = new ChangedKeys(writes);
    threads = opened.add(new NodeThreads());
    peers = new Peers(client, membership, threads, config.requestTimeout());
    fetcher = new Fetcher(client, stores.tombstones());
    settings = new CopySettings(config.replicas(), config.onEvict() == OnEvictChoice.KEEP_REPLICA);
    replication = new Replication(this);
    offload = opened.add(new EvictionOffload(this));
    reads = new RemoteReads(this);
    missedChanges = new MissedChanges(stores.disk(), clock, members::others, peers);
    remoteValues = stores.disk().isOn() ? new TieredValues(this) : reads;
    sweep = sweep(() -> seconds.get() - membersChangedAt >= SETTLED_SECONDS);
    reconciler = new Reconciler(this);
    routing = new Routing(directory, members);
    migrations = new NodeMigrations(this);
    drainTransfer = new DrainTransfer(this);
    messages = new NodeMessages(this);
    stores.main().versions(clock::next);
    stores.main().changeListener(stores.disk().changes().and(changedKeys));
    stores.replicas().changeListener(changedKeys.ofReplicas());
    membership.listen(this::membersChanged);
    replication.start(threads);
    // Otherwise a replica takes the place of an evicted value, and no byte has to be moved.
    offload.start(config.replicas() == 0 || config.onEvict() == OnEvictChoice.DROP);
    threads.start("reconciler", reconciler::run);
    threads.start("direct-offers", new DirectOffers(this)::run);
    threads.start("cluster-timer", this::tickEachSecond);
    threads.start("directory-sweep", sweep::run);
    joined.countDown();
    local.takeReplicas();
    publish();
    opened.add(missedChanges.start(config.requestTimeout()));
  }

  DirectorySweep sweep(BooleanSupplier settled) {
    return new DirectorySweep(this, settled);
  }

  /** Other nodes know this one before all of its parts exist. Their requests wait for these. */
  private void awaitJoined() {
    try {
      if (joined.await(JOIN_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("node '%s' is starting".formatted(config.node()));
  }

  private TransferServer server(ClusterConfig config, @Nullable SSLContext tls) {
    InetSocketAddress address = config.transferAddress();
    try {
      return TransferServer.start(
          address,
          (key, read) -> {
            awaitJoined();
            return Fetcher.open(stores, offload, key, read);
          },
          this::answer,
          (traceparent, nanos, bytes) ->
              stores
                  .main()
                  .requestListener()
                  .read(new RequestListener.TierRead(traceparent, false, nanos, bytes)),
          NodeTransfers.options(config, tls));
    } catch (IOException refused) {
      throw new UserError(
          "cannot listen on '%s:%d' for values: %s; set ebb.cluster.bind to an address of this machine, and ebb.cluster.transfer-port to a free port"
              .formatted(config.listen().bind(), address.getPort(), refused.getMessage()));
    }
  }

  public RemoteValues remoteValues() {
    return remoteValues;
  }

  @Override
  public void serving(
      InetSocketAddress clients, @Nullable InetSocketAddress operators, LongSupplier executed) {
    local.serving(clients, operators, executed);
    publish();
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public Node self() {
    return membership.self();
  }

  @Override
  public List<Node> nodes() {
    return membership.nodes();
  }

  @Override
  public long values() {
    return directory.size();
  }

  @Override
  public ClusterStats stats() {
    StoreStats cached = stores.readCache().stats();
    long fetched = reads.fetches.fetches.sum();
    return new ClusterStats(
        replication.pendingCopies(),
        TimeUnit.NANOSECONDS.toMillis(Math.max(writes.lagNanos(), replication.lagNanos())),
        reconciler.underReplicated(),
        reconciler.rackUnsafe(),
        changedKeys.count() + reconciler.unchecked(),
        replication.values.sum(),
        replication.bytes.sum(),
        replication.failed.sum(),
        reconciler.promotions(),
        offload.moved.sum(),
        offload.movedBytes.sum(),
        offload.notMoved(),
        reads.hits.sum(),
        reads.misses.sum(),
        fetched,
        reads.sharedFetches.sum(),
        reads.fetches.failed.sum(),
        reads.fetches.bytes.sum(),
        fetched == 0 ? 0 : reads.fetches.nanos.sum() / 1e3 / fetched,
        cached.usedBytes(),
        cached.capacityBytes(),
        sweep.counts(),
        sweep.removed.sum());
  }

  @Override
  public CompletableFuture<Optional<ValuePlace>> find(byte[] key) {
    ValueId id = ValueId.of(ChunkKeys.mainKey(key));
    return directory
        .get(List.of(id))
        .thenApply(found -> Optional.ofNullable(found.get(id)).map(this::place));
  }

  private ValuePlace place(DirectoryEntry entry) {
    List<String> names = new ArrayList<>();
    for (Holder holder : entry.holders()) {
      peers.node(holder.node()).map(Node::name).ifPresent(names::add);
    }
    return new ValuePlace(
        ValueState.of(entry, members.topology(), settings),
        entry.version(),
        entry.bytes(),
        entry.crc32c(),
        entry.expiresAt(),
        entry.immutable(),
        names.isEmpty() ? "" : names.getFirst(),
        names.isEmpty() ? names : names.subList(1, names.size()));
  }

  @Override
  public CompletableFuture<List<Route>> route(List<byte[]> keys, int chunkTokens) {
    return routing.route(keys, chunkTokens);
  }

  @Override
  public void drain(String node) {
    Node drained = named(node);
    if (nodes().stream()
        .noneMatch(each -> each.id() != drained.id() && each.state() == NodeState.ACTIVE)) {
      throw new UserError(
          "node '%s' cannot be drained: no other node is active; start or activate another one"
              .formatted(node));
    }
    tell(drained, MessageType.DRAIN);
    if (drained.state() == NodeState.ACTIVE) {
      awaitChange(drained);
    }
  }

  @Override
  public void activate(String node) {
    Node passive = named(node);
    tell(passive, MessageType.ACTIVATE);
    if (passive.state() != NodeState.ACTIVE) {
      awaitChange(passive);
    }
  }

  /** Waits until this node has seen another state, which is usual within milliseconds. */
  private void awaitChange(Node node) {
    try {
      for (int i = 0; i < STATE_CHECKS && isAsBefore(node); i++) {
        Thread.sleep(STATE_CHECK_MILLIS);
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isAsBefore(Node node) {
    return peers.node(node.id()).map(now -> now.state() == node.state()).orElse(false);
  }

  @Override
  public NodeMigration migrate(List<byte[]> keys, String node) {
    Node target = named(node);
    if (target.state() != NodeState.ACTIVE) {
      throw new UserError(
          "node '%s' is %s and takes no values: activate it, or choose another"
              .formatted(node, target.state().name().toLowerCase(Locale.ROOT)));
    }
    return migrations.start(keys, target);
  }

  @Override
  public List<NodeMigration> migrations() {
    return migrations.states();
  }

  private Node named(String name) {
    return nodes().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "node '%s' is not in the cluster; the nodes are %s"
                    .formatted(
                        name, String.join(", ", nodes().stream().map(Node::name).toList()))));
  }

  private void tell(Node node, MessageType type) {
    if (node.id() == self().id()) {
      messages.handle(new Message(type, node.id(), List.of()));
      return;
    }
    try {
      peers.call(node, type, List.of(), CALL_TIMEOUT);
    } catch (TransferException unreachable) {
      throw new UserError(
          "node '%s' does not answer: %s".formatted(node.name(), unreachable.getMessage()));
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private byte[] answer(byte[] bytes) {
    awaitJoined();
    return messages.handle(Message.decode(bytes));
  }

  void become(NodeState next) {
    local.state(next);
    stateChanged();
  }

  private void stateChanged() {
    publish();
    members.refresh();
    changedKeys.addAll(CheckReason.RECHECKED);
  }

  private void membersChanged(boolean entriesLost) {
    members.refresh();
    peers.retain(membership.nodes());
    writes.nodes(members.otherIds());
    missedChanges.membersChanged();
    membersChangedAt = seconds.get();
    if (entriesLost) {
      // Changes that are on their way between the owners of an entry may arrive at only one.
      checkAgain = CheckReason.FULL_CHECK;
      LOG.info("the directory may have lost entries; this node announces all its values again");
    }
    changedKeys.addAll(entriesLost ? CheckReason.FULL_CHECK : CheckReason.RECHECKED);
  }

  private void tickEachSecond() throws InterruptedException {
    while (true) {
      tick();
      Thread.sleep(TICK_MILLIS);
    }
  }

  private void tick() {
    try {
      publish();
      membership.nodes().forEach(node -> clock.observe(node.clock()));
      members.refresh();
      local.compareSettings(membership.nodes());
      replication.check();
      writes.arrived(replication.lagNanos());
      offload.check();
      int second = seconds.incrementAndGet();
      if (second % COUNT_SECONDS == 0) {
        // It returns the previous count, which would be old if only operators asked for it.
        var _ = directory.size();
      }
      if (second == membersChangedAt + CHECK_AGAIN_SECONDS) {
        changedKeys.addAll(checkAgain);
        checkAgain = CheckReason.RECHECKED;
      }
      boolean drainAgain = local.state() != NodeState.ACTIVE && second % DRAIN_SECONDS == 0;
      if (drainAgain) {
        drainTransfer.check();
      }
      if (drainAgain || second % CHECK_ALL_SECONDS == 0) {
        changedKeys.addAll(CheckReason.RECHECKED);
      }
      if (local.isDrained(replication.pendingCopies() > 0 || drainTransfer.isMoving())
          && local.endDrain()) {
        stateChanged();
      }
    } catch (RuntimeException failed) {
      LOG.warn("cluster state not published reason=\"{}\"", failed.getMessage());
    }
  }

  /** One at a time: a description from before a change of the state must not follow a later one. */
  private synchronized void publish() {
    membership.publish(local.description(membership.self().transferPort()));
  }

  /** Leaves the cluster. The other nodes keep the replicas. */
  @Override
  public void close() {
    opened.close();
  }
}
