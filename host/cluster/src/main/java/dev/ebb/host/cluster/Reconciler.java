package dev.ebb.host.cluster;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.DirectoryAnswers;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.cluster.placement.CopyAction;
import dev.ebb.host.cluster.placement.CopyAction.Announce;
import dev.ebb.host.cluster.placement.CopyAction.DropLocal;
import dev.ebb.host.cluster.placement.CopyAction.Notify;
import dev.ebb.host.cluster.placement.CopyAction.Replicate;
import dev.ebb.host.cluster.placement.CopyAction.SetExpiry;
import dev.ebb.host.cluster.placement.CopyAction.TellDrop;
import dev.ebb.host.cluster.placement.CopyDecisions;
import dev.ebb.host.cluster.placement.LocalCopy;
import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the directory and the other nodes in line with the copies of this node. It looks at the
 * state of a key, not at what happened to it, so that a missed or repeated event does no harm.
 */
final class Reconciler {

  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
  private static final int BATCH = 256;
  private static final long WAIT_MILLIS = 1_000;
  private static final long PAUSE_MILLIS = 2;
  private static final long RETRY_MILLIS = 500;

  /** A decision announces at most a copy and its release. */
  private static final int MOST_ROUNDS = 4;

  private final ClusterNode cluster;
  private final LogThrottle failures = new LogThrottle();

  /** One batch at a time, so that what is announced of a key is never older than before. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<ValueId> underReplicated = ConcurrentHashMap.newKeySet();
  private final Set<ValueId> rackUnsafe = ConcurrentHashMap.newKeySet();
  private final LongAdder promotions = new LongAdder();
  private volatile int unchecked;

  private static final class Check {

    final byte[] key;

    /** All objects of a chunk have the same one, so that copies of them are on the same nodes. */
    final ValueId chunk;

    CheckReason reason;

    /** The last change of a value before the copy was read. */
    long at;

    @Nullable LocalCopy local;
    @Nullable DirectoryEntry entry;
    byte[] metadata = {};

    boolean changed() {
      return reason == CheckReason.CHANGED || reason == CheckReason.FULL_CHECK;
    }

    Check(ValueId id, byte[] key, CheckReason reason) {
      this.key = key;
      this.reason = reason;
      byte[] common = ChunkKeys.chunkKey(key);
      chunk = common == key ? id : ValueId.of(common);
    }

    /** Reads what a decision needs to know of the copy, whose version may be recent. */
    void describe(LocalStores.@Nullable Copy copy, LongPredicate isRecent) {
      if (copy == null) {
        return;
      }
      ValueReader reader = copy.reader();
      DirectoryEntry known = entry;
      boolean isKnown = known != null && known.version() >= reader.version();
      int crc =
          known != null && known.version() == reader.version()
              ? known.crc32c()
              : LocalStores.crc32c(reader);
      local =
          new LocalCopy(
              reader.version(),
              reader.length(),
              crc,
              reader.expiresAt(),
              ChunkKeys.isContentAddressed(key),
              copy.replica(),
              !copy.replica() && !isKnown && isRecent.test(reader.version()));
      metadata = copy.replica() ? metadata : reader.attachment();
      if (reason == CheckReason.FULL_CHECK) {
        // Announced in any case: the owners of an entry may differ after a merge, and what this
        // node has read may be the entry of only one of them.
        entry = null;
      }
    }
  }

  Reconciler(ClusterNode cluster) {
    this.cluster = cluster;
  }

  long underReplicated() {
    return underReplicated.size();
  }

  /** Returns how many values of a check of all keys are left. */
  long unchecked() {
    return unchecked;
  }

  long rackUnsafe() {
    return rackUnsafe.size();
  }

  long promotions() {
    return promotions.sum();
  }

  void run() throws InterruptedException {
    while (true) {
      try {
        checkNext();
      } catch (RuntimeException failed) {
        // The next check of all keys includes these.
        failures.log(omitted -> LOG.error("values not checked omitted={}", omitted, failed));
      }
    }
  }

  private void checkNext() throws InterruptedException {
    List<ChangedKeys.Key> keys = cluster.changedKeys.take(BATCH, WAIT_MILLIS);
    if (keys.size() == 1) {
      // The metadata of a chunk follows its bytes, and one check is enough for both.
      Thread.sleep(PAUSE_MILLIS);
      keys.addAll(cluster.changedKeys.take(BATCH - 1, 0));
    }
    CheckReason all = cluster.changedKeys.takeAll();
    if (!keys.isEmpty()) {
      check(keys);
    }
    if (all != null) {
      checkAll(all);
    }
  }

  /**
   * Checks all keys of this node, and meanwhile those that change. It starts again if the node
   * begins to drain: the keys that are left would take the room of those that are worth more.
   */
  private void checkAll(CheckReason reason) throws InterruptedException {
    int lost = cluster.writes.lostNodes();
    boolean active = cluster.members.isActive();
    List<ChangedKeys.Key> keys = new ArrayList<>();
    // Nodes without room for all copies get those that are worth most.
    cluster
        .stores
        .main()
        .mainKeysByUse()
        .forEach(key -> keys.add(new ChangedKeys.Key(key, reason)));
    cluster
        .stores
        .replicas()
        .mainKeysByUse()
        .forEach(key -> keys.add(new ChangedKeys.Key(key, reason)));
    // Of values that were removed while there were too many changed keys to list.
    cluster.writes.eachKey(key -> keys.add(new ChangedKeys.Key(key, reason)));
    for (int from = 0; from < keys.size(); from += BATCH) {
      unchecked = keys.size() - from;
      if (cluster.members.isActive() != active) {
        cluster.changedKeys.addAll(reason);
        return;
      }
      check(repaired(keys.subList(from, Math.min(keys.size(), from + BATCH))));
      List<ChangedKeys.Key> changed = cluster.changedKeys.take(BATCH, 0);
      if (!changed.isEmpty()) {
        check(changed);
      }
    }
    unchecked = 0;
    cluster.writes.allChecked(lost);
  }

  /**
   * Lets the owners of each entry agree.
   *
   * @return the keys; those whose owners did not agree with a full check, because the merged entry
   *     may list nodes that have no copy
   */
  private List<ChangedKeys.Key> repaired(List<ChangedKeys.Key> keys) throws InterruptedException {
    try {
      Set<ValueId> differed =
          DirectoryAnswers.await(
              cluster.directory.repair(keys.stream().map(key -> ValueId.of(key.key())).toList()));
      if (differed.isEmpty()) {
        return keys;
      }
      LOG.info("owners of directory entries had different ones, merged={}", differed.size());
      return keys.stream()
          .map(key ->
              differed.contains(ValueId.of(key.key()))
                  ? new ChangedKeys.Key(key.key(), CheckReason.FULL_CHECK)
                  : key)
          .toList();
    } catch (CompletionException silent) {
      // An owner does not answer. The check reads from the other one.
      LOG.debug("owners of directory entries not compared", silent);
      return keys;
    }
  }

  void checkNow(byte[] key) throws InterruptedException {
    check(List.of(new ChangedKeys.Key(key, CheckReason.CHANGED)));
  }

  private void check(List<ChangedKeys.Key> keys) throws InterruptedException {
    Map<ValueId, Check> checks = new LinkedHashMap<>();
    for (ChangedKeys.Key each : keys) {
      ValueId id = ValueId.of(each.key());
      Check check = checks.get(id);
      if (check == null) {
        checks.put(id, new Check(id, each.key(), each.reason()));
      } else {
        check.reason = check.reason.and(each.reason());
      }
    }
    lock.lockInterruptibly();
    try {
      check(checks);
    } catch (CompletionException failed) {
      retry(checks.values(), failed);
    } finally {
      lock.unlock();
    }
  }

  private void retry(Collection<Check> checks, CompletionException failed)
      throws InterruptedException {
    Throwable cause = failed.getCause();
    failures.log(omitted ->
        LOG.warn(
            "directory does not answer, values={} reason=\"{}\" omitted={}",
            checks.size(),
            cause,
            omitted));
    Thread.sleep(RETRY_MILLIS);
    checks.forEach(check -> cluster.changedKeys.add(check.key, check.reason));
  }

  private void check(Map<ValueId, Check> checks) throws InterruptedException {
    read(checks);
    CopyDecisions decisions =
        new CopyDecisions(
            cluster.members.self().id(), cluster.members.placement(), cluster.settings);
    Map<ValueId, Check> open = checks;
    for (int round = 0; round < MOST_ROUNDS && !open.isEmpty(); round++) {
      Map<ValueId, Change> changes = new HashMap<>();
      Map<ValueId, Check> next = new LinkedHashMap<>();
      Map<Check, DropLocal> drops = new HashMap<>();
      open.forEach((id, check) -> {
        Change overwritten = overwritten(check);
        if (overwritten != null) {
          changes.put(id, overwritten);
          next.put(id, check);
          return;
        }
        List<CopyAction> actions =
            decisions.decide(check.chunk, check.local, check.entry, check.reason);
        actions.forEach(action -> act(id, check, action, changes, drops));
        if (changes.containsKey(id)) {
          next.put(id, check);
        } else {
          decided(id, check, actions, decisions);
        }
      });
      drop(drops);
      if (!changes.isEmpty()) {
        Map<ValueId, DirectoryEntry> after =
            DirectoryAnswers.await(cluster.directory.update(changes));
        next.forEach((id, check) -> check.entry = after.get(id));
      }
      open = next;
    }
  }

  /**
   * Returns the deletion of a value that a client of this node has replaced with another one, which
   * was evicted before the directory knew it. Copies of that one are valid.
   */
  private @Nullable Change overwritten(Check check) {
    DirectoryEntry entry = check.entry;
    if (check.local != null || entry == null || entry.deleted() || entry.immutable()) {
      return null;
    }
    long written = cluster.writes.written(check.key);
    return written > entry.version() ? new Change.Deleted(written - 1) : null;
  }

  /** Reads the entries that are not overwritten anyway, and the local copies. */
  private void read(Map<ValueId, Check> checks) throws InterruptedException {
    List<ValueId> unknown = new ArrayList<>();
    long at = cluster.writes.lastChange();
    checks.forEach((id, check) -> {
      check.at = at;
      if (check.reason != CheckReason.CHANGED || !cluster.stores.has(check.key)) {
        unknown.add(id);
      }
    });
    if (!unknown.isEmpty()) {
      Map<ValueId, DirectoryEntry> entries = DirectoryAnswers.await(cluster.directory.get(unknown));
      checks.forEach((id, check) -> check.entry = entries.get(id));
    }
    // One at a time, and not while the directory is asked: what is open cannot be evicted, and new
    // values and replicas would be refused.
    for (Check check : checks.values()) {
      try (LocalStores.Copy copy = cluster.stores.open(check.key)) {
        check.describe(copy, this::isRecent);
      }
    }
  }

  private void act(
      ValueId id,
      Check check,
      CopyAction action,
      Map<ValueId, Change> changes,
      Map<Check, DropLocal> drops) {
    switch (action) {
      case Announce announce -> {
        changes.put(id, announce.change());
        check.reason = announce.next();
        if (promotes(check.entry, announce.change())) {
          promotions.increment();
        }
      }
      case Replicate replicate -> {
        long version = check.local == null ? 0 : check.local.version();
        Item item = new Item(check.key, version);
        boolean isNew = check.local != null && check.local.isNew();
        if (check.entry != null && cluster.replication.awaitsPrimary(id, check.entry)) {
          cluster.replication.checkLater(item, Replication.again(isNew));
        } else {
          cluster.replication.offer(replicate.node(), id, item, isNew);
        }
      }
      case DropLocal drop -> drops.put(check, drop);
      case TellDrop drop ->
          send(check, drop.node(), MessageType.DROP, new Item(check.key, drop.upToVersion()));
      case Notify notify -> send(check, notify.node(), MessageType.CHECK, new Item(check.key, 0));
      case SetExpiry expiry ->
          cluster.stores.replicas().expire(check.key, expiry.expiresAt(), current -> true);
    }
  }

  /** Returns whether a copy in the main store of this node is one that clients have just stored. */
  private boolean isRecent(long version) {
    return cluster.members.isActive()
        && cluster.clock.hasReturned(version)
        && cluster.replication.isRecent(version);
  }

  private void send(Check check, int node, MessageType type, Item item) {
    if (!cluster.peers.send(node, type, item)) {
      cluster.changedKeys.add(check.key, check.reason);
    }
  }

  /** Removes copies that are invalid, or that other nodes confirm to have. */
  private void drop(Map<Check, DropLocal> drops) throws InterruptedException {
    Map<Integer, List<Check>> asked = new HashMap<>();
    drops.forEach((check, drop) ->
        drop.ifHeldBy()
            .forEach(node -> asked.computeIfAbsent(node, _ -> new ArrayList<>()).add(check)));
    Set<Check> unconfirmed = new HashSet<>();
    for (Map.Entry<Integer, List<Check>> each : asked.entrySet()) {
      List<Check> checks = each.getValue();
      byte[] held =
          cluster.peers.held(
              each.getKey(),
              checks.stream()
                  .map(check -> new Item(check.key, requireNonNull(drops.get(check)).upToVersion()))
                  .toList());
      for (int i = 0; i < checks.size(); i++) {
        if (i >= held.length || held[i] == 0) {
          unconfirmed.add(checks.get(i));
        }
      }
    }
    drops.forEach((check, drop) -> {
      if (unconfirmed.contains(check)) {
        cluster.changedKeys.add(check.key, CheckReason.FULL_CHECK);
      } else {
        cluster.stores.drop(check.key, drop.upToVersion());
        cluster.changedKeys.add(check.key, CheckReason.RECHECKED);
      }
    });
    if (!unconfirmed.isEmpty()) {
      Thread.sleep(RETRY_MILLIS);
      // Another node may have begun to drain.
      cluster.members.refresh();
    }
  }

  private static boolean promotes(@Nullable DirectoryEntry entry, Change change) {
    return change instanceof Change.Held held
        && held.holder().replica()
        && entry != null
        && !entry.holders().isEmpty()
        && held.gone().contains(entry.holders().getFirst().node());
  }

  private void decided(ValueId id, Check check, List<CopyAction> actions, CopyDecisions decisions) {
    List<Replicate> missing =
        actions.stream().filter(Replicate.class::isInstance).map(Replicate.class::cast).toList();
    mark(underReplicated, id, lacksCopies(id, check, decisions));
    mark(rackUnsafe, id, missing.stream().anyMatch(each -> !each.rackSafe()));
    if (check.local != null) {
      cluster.clock.observe(check.local.version());
      attach(check);
    }
    report(check, !missing.isEmpty());
    cluster.replication.checked(id, check.local != null);
  }

  private void report(Check check, boolean roomElsewhere) {
    LocalCopy local = check.local;
    DirectoryEntry entry = check.entry;
    if (local == null || local.replica()) {
      cluster.writes.removed(check.key, check.at);
    } else if (entry != null) {
      List<Integer> nodes =
          entry.holders().stream()
              .map(Holder::node)
              .filter(node ->
                  node != cluster.members.self().id() && cluster.members.topology().live(node))
              .toList();
      cluster.writes.checked(check.key, check.at, local.version(), nodes, roomElsewhere);
    }
  }

  /** Returns whether this node's primary copy has too few others, even if no node has room. */
  private boolean lacksCopies(ValueId id, Check check, CopyDecisions decisions) {
    DirectoryEntry entry = check.entry;
    return check.local != null
        && entry != null
        && !cluster.replication.awaitsPrimary(id, entry)
        && decisions.primary(entry) == cluster.members.self().id()
        && ValueState.of(entry, cluster.members.topology(), cluster.settings)
            == ValueState.REPLICATING;
  }

  /** Sends metadata that a client has added after other nodes fetched the bytes of its chunk. */
  private void attach(Check check) {
    if (check.metadata.length > 0 && check.entry != null && check.changed()) {
      Item item = new Item(check.key, check.entry.version(), check.metadata);
      check.entry.holders().stream()
          .filter(holder -> holder.node() != cluster.members.self().id())
          .forEach(holder -> cluster.peers.send(holder.node(), MessageType.ATTACH, item));
    }
  }

  private static void mark(Set<ValueId> set, ValueId id, boolean marked) {
    if (marked) {
      set.add(id);
    } else {
      set.remove(id);
    }
  }
}
