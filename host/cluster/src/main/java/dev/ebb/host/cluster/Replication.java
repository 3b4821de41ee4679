package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.HybridClock;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.cluster.pending.OfferQueue;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.transfer.FetchResult;
import dev.ebb.host.transfer.TransferException;
import dev.ebb.host.transfer.ValueHeader;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
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
  private static final int FETCHERS = 8;
  private static final int MOST_OFFERED = 1 << 14;

  /** A value that was stored at most this time ago is new: longer than until a retry. */
  private static final long RECENT_MILLIS = 10_000;

  private static final long NONE = -1;

  /** An offer without an answer is repeated after this time. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A value whose copy could not be made is checked again after this time. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ClusterNode cluster;
  private final Map<Copy, Pending> pending = new ConcurrentHashMap<>();
  private final OfferQueue<Offer> offered = new OfferQueue<>(MOST_OFFERED);

  /** Replicas that the directory does not know yet. */
  private final Map<ValueId, Offer> unannounced = new ConcurrentHashMap<>();

  private final Set<ValueId> fetching = ConcurrentHashMap.newKeySet();

  private final Queue<Retry> retries = new ConcurrentLinkedQueue<>();

  final LongAdder values = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder failed = new LongAdder();

  private record Copy(ValueId id, int node) {}

  private record Pending(Item item, boolean isNew, long sinceNanos, boolean received) {

    CheckReason again() {
      return Replication.again(isNew && !received);
    }

    Pending received(long version) {
      return new Pending(item, isNew, sinceNanos, received || version >= item.version());
    }
  }

  private record Retry(Item item, CheckReason reason, long atNanos) {}

  /** A replica that this node should make. */
  private record Offer(Item item, int from, boolean isNew) {}

  Replication(ClusterNode cluster) {
    this.cluster = cluster;
  }

  void start(NodeThreads threads) {
    for (int i = 0; i < FETCHERS; i++) {
      boolean oldFirst = i == 0;
      threads.start("replication-" + i, () -> fetchOffered(oldFirst));
    }
  }

  /**
   * Asks another node to make a copy.
   *
   * @param isNew whether a client has just stored the value. What is copied again, or leaves a
   *     node, must not evict what may be the only copy of another value
   */
  void offer(int node, ValueId id, Item item, boolean isNew) {
    Copy copy = new Copy(id, node);
    Pending before = pending.get(copy);
    if (before != null && before.item.version() == item.version() && (before.isNew || !isNew)) {
      return;
    }
    // Before the answer can arrive.
    pending.put(copy, new Pending(item, isNew, System.nanoTime(), false));
    if (!cluster.peers.send(node, isNew ? MessageType.OFFER : MessageType.RESTORE, item)) {
      pending.remove(copy);
      checkLater(item, again(isNew));
    }
  }

  /** The check of a new value is repeated as the one of a change, so that it is new again. */
  static CheckReason again(boolean isNew) {
    return isNew ? CheckReason.CHANGED : CheckReason.RECHECKED;
  }

  /** Another node has a copy, which the directory may not know yet. */
  void received(int node, Item item) {
    pending.computeIfPresent(
        new Copy(ValueId.of(item.key()), node), (_, each) -> each.received(item.version()));
    cluster.writes.confirmed(node, item.key(), item.version());
  }

  /** Another node has made a copy that the directory knows, or could not make one. */
  void answered(int node, Item item, boolean stored) {
    Copy copy = new Copy(ValueId.of(item.key()), node);
    Pending wait = pending.get(copy);
    // The answer for an older version says nothing about a newer one.
    boolean current = wait != null && wait.item.version() <= item.version();
    if (stored) {
      cluster.changedKeys.add(item.key(), CheckReason.RECHECKED);
    } else {
      failed.increment();
      checkLater(item, wait != null && current ? wait.again() : CheckReason.RECHECKED);
    }
    if (current) {
      pending.computeIfPresent(
          copy, (_, each) -> each.item.version() <= item.version() ? null : each);
    }
  }

  void checkLater(Item item, CheckReason reason) {
    retries.add(new Retry(item, reason, System.nanoTime() + RETRY_NANOS));
  }

  /** Answers an offer once the directory knows whether this node has a copy. */
  void checked(ValueId id, boolean present) {
    Offer offer = unannounced.get(id);
    if (offer == null || (!present && arrives(id, offer))) {
      return;
    }
    if (unannounced.remove(id, offer)) {
      cluster.peers.send(
          offer.from, present ? MessageType.STORED : MessageType.NOT_STORED, offer.item);
    }
  }

  /**
   * Returns whether a live node has offered a value that the directory does not list for it yet.
   * Its announcement is on its way, and it orders further copies.
   */
  boolean awaitsPrimary(ValueId id, DirectoryEntry entry) {
    Offer offer = unannounced.get(id);
    return offer != null
        && entry.of(offer.from) == null
        && cluster.peers.node(offer.from).isPresent();
  }

  /** Returns whether a check found no value only because the fetch had not ended yet. */
  private boolean arrives(ValueId id, Offer offer) {
    if (fetching.contains(id)) {
      return true;
    }
    try (LocalStores.Copy copy = cluster.stores.open(offer.item.key())) {
      return copy != null;
    }
  }

  boolean isRecent(long version) {
    return HybridClock.millis(cluster.clock.last()) - HybridClock.millis(version) < RECENT_MILLIS;
  }

  /** Makes a replica of another node's value, later; a new one may evict others. */
  void receive(int from, Item item, boolean isNew) {
    if (!offered.offer(new Offer(item, from, isNew), isNew)) {
      cluster.peers.send(from, MessageType.NOT_STORED, item);
    }
  }

  /** Forgets what waits for nodes that have left, and repeats offers that had no answer. */
  void check() {
    long now = System.nanoTime();
    pending.forEach((copy, wait) -> {
      if (now - wait.sinceNanos > ANSWER_NANOS || cluster.peers.node(copy.node).isEmpty()) {
        pending.remove(copy, wait);
        cluster.changedKeys.add(wait.item.key(), wait.again());
      }
    });
    for (Retry next = retries.peek();
        next != null && now - next.atNanos > 0;
        next = retries.peek()) {
      retries.remove();
      cluster.changedKeys.add(next.item.key(), next.reason);
    }
  }

  /** Returns how many copies are on their way, or were refused and are offered again as new. */
  long pendingCopies() {
    return pending.size()
        + retries.stream().filter(each -> each.reason == CheckReason.CHANGED).count();
  }

  /** Returns the age of the oldest offer whose copy has not arrived. */
  long lagNanos() {
    long now = System.nanoTime();
    return pending.values().stream()
        .filter(each -> !each.received)
        .mapToLong(each -> now - each.sinceNanos)
        .max()
        .orElse(0);
  }

  private void fetchOffered(boolean oldFirst) throws InterruptedException {
    while (true) {
      Offer offer = offered.take(oldFirst);
      ValueId id = ValueId.of(offer.item.key());
      unannounced.put(id, offer);
      fetching.add(id);
      long version = NONE;
      try {
        version = make(offer);
      } finally {
        fetching.remove(id);
      }
      if (version == NONE) {
        unannounced.remove(id, offer);
        cluster.peers.send(offer.from, MessageType.NOT_STORED, offer.item);
      } else {
        cluster.peers.send(offer.from, MessageType.RECEIVED, new Item(offer.item.key(), version));
      }
    }
  }

  /** Returns the version that this node has afterwards, {@link #NONE} if it has none. */
  private long make(Offer offer) throws InterruptedException {
    Item item = offer.item;
    Node from = cluster.peers.node(offer.from).orElse(null);
    try (LocalStores.Copy existing = cluster.stores.open(item.key())) {
      long version = existing == null ? NONE : existing.reader().version();
      boolean same = existing != null && ChunkKeys.isContentAddressed(item.key());
      if (same || version >= item.version()) {
        // The directory does not know it yet.
        cluster.changedKeys.add(item.key(), CheckReason.CHANGED);
        return Math.max(version, item.version());
      }
    }
    if (from == null) {
      return NONE;
    }
    try {
      FetchResult result =
          offer.isNew
              ? cluster.fetcher.fetch(from, item.key(), true, cluster.stores.replicas())
              : cluster.fetcher.fetchIfFree(from, item.key(), cluster.stores.replicas());
      ValueHeader header = result.header();
      if (!result.complete() || header == null) {
        return NONE;
      }
      values.increment();
      bytes.add(result.bytes());
      return header.version();
    } catch (TransferException | RuntimeException broken) {
      LOG.debug("replica not made from={} reason=\"{}\"", from.name(), broken.getMessage());
      return NONE;
    }
  }
}
