package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.store.EvictedValue;
import dev.ebb.host.store.EvictionListener;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.transfer.TransferException;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the values that this node evicts to the node with the most free memory, and takes those of
 * other nodes while this one has room. A small part of the pool holds values until they are moved;
 * beyond it they are evicted as without a cluster.
 */
final class EvictionOffload implements EvictionListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EvictionOffload.class);

  /** The share of the main store that values on their way may use. */
  private static final double LEAVING_SHARE = 0.02;

  /** A node takes values up to this share of its main store, below what starts its evictions. */
  static final double TAKING_SHARE = 0.8;

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST_OFFERED = 1 << 12;

  private final ClusterNode cluster;
  private final Map<ValueId, Leaving> leaving = new ConcurrentHashMap<>();
  private final AtomicLong leavingBytes = new AtomicLong();
  private final long mostLeavingBytes;
  private final BlockingQueue<Offer> offered = new ArrayBlockingQueue<>(MOST_OFFERED);
  private volatile @Nullable Node roomiest;

  final LongAdder moved = new LongAdder();
  final LongAdder movedBytes = new LongAdder();

  private final LongAdder evictions = new LongAdder();

  private record Offer(Item item, int from) {}

  private static final class Leaving {

    private final ValueReader reader;
    private final long sinceNanos = System.nanoTime();
    private int users;
    private boolean over;

    Leaving(ValueReader reader) {
      this.reader = reader;
    }

    synchronized boolean use() {
      users += over ? 0 : 1;
      return !over;
    }

    synchronized void unuse() {
      users--;
      closeIfUnused();
    }

    synchronized void end() {
      over = true;
      closeIfUnused();
    }

    private void closeIfUnused() {
      if (over && users == 0) {
        reader.close();
      }
    }
  }

  EvictionOffload(ClusterNode cluster) {
    this.cluster = cluster;
    mostLeavingBytes = (long) (cluster.stores.main().stats().capacityBytes() * LEAVING_SHARE);
  }

  /** What the disk does not take is moved to other nodes, if they get evicted values. */
  void start(boolean moves) {
    EvictionListener disk = cluster.stores.disk().evictions();
    cluster.stores.main().evictionListener(moves ? disk.or(this) : disk);
    if (moves) {
      cluster.threads.start("evicted-values", this::takeOffered);
    }
  }

  /** Returns how many evicted values no other node has stored. */
  long notMoved() {
    return Math.max(0, evictions.sum() - moved.sum() - leaving.size());
  }

  boolean hasTarget() {
    return roomiest != null;
  }

  @Override
  public boolean wants(EvictedValue value) {
    if (value.bytes() == 0 || ChunkKeys.isMetadata(value.mainKey())) {
      return false;
    }
    evictions.increment();
    return roomiest != null && leavingBytes.get() + value.bytes() <= mostLeavingBytes;
  }

  @Override
  public void evicted(EvictedValue evicted, ValueReader reader) {
    Node to = roomiest;
    byte[] mainKey = evicted.mainKey();
    ValueId id = ValueId.of(mainKey);
    Leaving value = new Leaving(reader);
    leavingBytes.addAndGet(reader.length());
    Leaving before = leaving.put(id, value);
    if (before != null) {
      ended(before);
    }
    if (to == null
        || !cluster.peers.send(to.id(), MessageType.TAKE, new Item(mainKey, reader.version()))) {
      // Later, because the store is locked now.
      cluster.threads.execute(() -> answered(mainKey, false));
    }
  }

  /** Opens a value on its way; returns null if there is none. */
  @Nullable Use open(byte[] key) {
    Leaving value = leaving.get(ValueId.of(key));
    return value != null && value.use() ? new Use(value) : null;
  }

  static final class Use implements AutoCloseable {

    private final Leaving value;

    private Use(Leaving value) {
      this.value = value;
    }

    ValueReader reader() {
      return value.reader;
    }

    @Override
    public void close() {
      value.unuse();
    }
  }

  /** Another node has taken a value, or could not. */
  void answered(byte[] key, boolean taken) {
    Leaving value = leaving.remove(ValueId.of(key));
    if (value != null) {
      if (taken) {
        moved.increment();
        movedBytes.add(value.reader.length());
      }
      ended(value);
    }
  }

  private void ended(Leaving value) {
    leavingBytes.addAndGet(-value.reader.length());
    value.end();
  }

  /** Takes a value that another node evicts, later. */
  void receive(int from, Item item) {
    if (!hasRoom() || !offered.offer(new Offer(item, from))) {
      cluster.peers.send(from, MessageType.NOT_TAKEN, item);
    }
  }

  /** Chooses the node with the most free memory again, and gives up what was not answered. */
  void check() {
    roomiest =
        cluster.members.others().stream()
            .filter(node -> node.state() == NodeState.ACTIVE)
            .filter(node -> node.usedBytes() < node.capacityBytes() * TAKING_SHARE)
            .max(Comparator.comparingLong(node -> node.capacityBytes() - node.usedBytes()))
            .orElse(null);
    long now = System.nanoTime();
    leaving.forEach((id, value) -> {
      if (now - value.sinceNanos > TIMEOUT_NANOS && leaving.remove(id, value)) {
        ended(value);
      }
    });
  }

  private boolean hasRoom() {
    StoreStats stats = cluster.stores.main().stats();
    return cluster.members.self().state() == NodeState.ACTIVE
        && stats.usedBytes() < stats.capacityBytes() * TAKING_SHARE;
  }

  private void takeOffered() throws InterruptedException {
    while (true) {
      Offer offer = offered.take();
      boolean taken = take(offer);
      cluster.peers.send(offer.from, taken ? MessageType.TAKEN : MessageType.NOT_TAKEN, offer.item);
    }
  }

  private boolean take(Offer offer) throws InterruptedException {
    Node from = cluster.peers.node(offer.from).orElse(null);
    if (from == null || !hasRoom()) {
      return false;
    }
    try {
      return cluster.fetcher.fetch(from, offer.item.key(), true, cluster.stores.main()).complete();
    } catch (TransferException | RuntimeException failed) {
      LOG.debug("value not taken from={} reason=\"{}\"", from.name(), failed.getMessage());
      return false;
    }
  }

  @Override
  public void close() {
    cluster.stores.main().evictionListener(EvictionListener.NONE);
    leaving.forEach((id, value) -> {
      if (leaving.remove(id, value)) {
        ended(value);
      }
    });
  }
}
