package dev.ebb.host.cluster;

import dev.ebb.host.cluster.Message.Item;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.transfer.FetchResult;
import dev.ebb.host.transfer.TransferException;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicas: those that other nodes are to make of this node's values, and those that this node
 * makes of theirs. The node with the copy offers it; the other one fetches it.
 */
final class Replication {

  private static final Logger LOG = LoggerFactory.getLogger(Replication.class);
  private static final int FETCHERS = 4;
  private static final int MOST_OFFERED = 1 << 14;

  /** An offer without an answer is repeated after this time. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A copy that could not be made is tried again after this time. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final LocalStores stores;
  private final Fetcher fetcher;
  private final Peers peers;
  private final DirtyKeys dirty;
  private final Map<Copy, Pending> pending = new ConcurrentHashMap<>();
  private final BlockingQueue<Offer> offered = new ArrayBlockingQueue<>(MOST_OFFERED);

  /** Replicas that the directory does not know yet. */
  private final Map<ValueId, Offer> unannounced = new ConcurrentHashMap<>();

  /** Replicas that are made at the moment. */
  private final Set<ValueId> fetching = ConcurrentHashMap.newKeySet();

  /** Values without a copy that could not be made. */
  private final Queue<Retry> retries = new ConcurrentLinkedQueue<>();

  final LongAdder values = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder failed = new LongAdder();

  /** A copy that another node should make. */
  private record Copy(ValueId id, int node) {}

  private record Pending(Item item, long sinceNanos) {}

  private record Retry(Item item, long atNanos) {}

  /** A replica that this node should make. */
  private record Offer(Item item, int from) {}

  Replication(LocalStores stores, Fetcher fetcher, Peers peers, DirtyKeys dirty) {
    this.stores = stores;
    this.fetcher = fetcher;
    this.peers = peers;
    this.dirty = dirty;
  }

  void start(NodeThreads threads) {
    for (int i = 0; i < FETCHERS; i++) {
      threads.start("replication-" + i, this::fetchOffered);
    }
  }

  /** Asks another node to make a copy. */
  void offer(int node, ValueId id, Item item) {
    Copy copy = new Copy(id, node);
    Pending before = pending.get(copy);
    if (before != null && before.item.version() == item.version()) {
      return;
    }
    if (peers.send(node, MessageType.OFFER, item)) {
      pending.put(copy, new Pending(item, System.nanoTime()));
    }
  }

  /** Another node has made a copy, or could not. */
  void answered(int node, Item item, boolean stored) {
    pending.remove(new Copy(ValueId.of(item.key()), node));
    if (stored) {
      dirty.add(item.key(), CheckReason.RECHECKED);
    } else {
      failed.increment();
      retries.add(new Retry(item, System.nanoTime() + RETRY_NANOS));
    }
  }

  /**
   * A value was checked.
   *
   * @param present whether this node has a copy, which the directory knows then
   */
  void checked(ValueId id, boolean present) {
    Offer offer = unannounced.get(id);
    if (offer == null || (!present && arrives(id, offer))) {
      return;
    }
    if (unannounced.remove(id, offer)) {
      peers.send(offer.from, present ? MessageType.STORED : MessageType.NOT_STORED, offer.item);
    }
  }

  /** Returns whether a check found no value only because the fetch had not ended yet. */
  private boolean arrives(ValueId id, Offer offer) {
    if (fetching.contains(id)) {
      return true;
    }
    try (LocalStores.Copy copy = stores.open(offer.item.key())) {
      return copy != null;
    }
  }

  /** Makes a replica of another node's value, later. */
  void receive(int from, Item item) {
    if (!offered.offer(new Offer(item, from))) {
      peers.send(from, MessageType.NOT_STORED, item);
    }
  }

  /** Forgets what waits for nodes that have left, and repeats offers that had no answer. */
  void check() {
    long now = System.nanoTime();
    pending.forEach((copy, wait) -> {
      if (now - wait.sinceNanos > ANSWER_NANOS || peers.node(copy.node).isEmpty()) {
        pending.remove(copy, wait);
        dirty.add(wait.item.key(), CheckReason.RECHECKED);
      }
    });
    for (Retry next = retries.peek();
        next != null && now - next.atNanos > 0;
        next = retries.peek()) {
      dirty.add(retries.remove().item.key(), CheckReason.RECHECKED);
    }
  }

  long pendingCopies() {
    return pending.size();
  }

  /** Returns the age of the oldest copy that has not been confirmed. */
  long lagMillis() {
    long now = System.nanoTime();
    long oldest =
        pending.values().stream().mapToLong(each -> now - each.sinceNanos).max().orElse(0);
    return TimeUnit.NANOSECONDS.toMillis(oldest);
  }

  private void fetchOffered() throws InterruptedException {
    while (true) {
      Offer offer = offered.take();
      ValueId id = ValueId.of(offer.item.key());
      unannounced.put(id, offer);
      fetching.add(id);
      boolean made = false;
      try {
        made = make(offer);
      } finally {
        fetching.remove(id);
      }
      if (!made) {
        unannounced.remove(id, offer);
        peers.send(offer.from, MessageType.NOT_STORED, offer.item);
      }
    }
  }

  private boolean make(Offer offer) throws InterruptedException {
    Item item = offer.item;
    Node from = peers.node(offer.from).orElse(null);
    try (LocalStores.Copy existing = stores.open(item.key())) {
      if (existing != null && existing.reader().version() >= item.version()) {
        // The directory does not know it yet.
        dirty.add(item.key(), CheckReason.CHANGED);
        return true;
      }
    }
    if (from == null) {
      return false;
    }
    try {
      FetchResult result = fetcher.fetch(from, item.key(), true, stores.replicas());
      if (!result.complete()) {
        return false;
      }
      values.increment();
      bytes.add(result.bytes());
      return true;
    } catch (TransferException | RuntimeException broken) {
      LOG.debug("replica not made from={} reason=\"{}\"", from.name(), broken.getMessage());
      return false;
    }
  }
}
