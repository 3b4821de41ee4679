package dev.ebb.host.cluster.pending;

import dev.ebb.host.cluster.message.KeyBytes;
import dev.ebb.host.store.key.ChunkKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The values of this node's main store that lack replicas, from the moment a client stores them
 * until the directory lists the replicas; without replicas, those that the directory does not list
 * yet and that may replace others, because their keys do not name their content. Values are added
 * while their part of the store is locked, so that no later check can miss one. Thread-safe.
 */
public final class PendingWrites {

  private final int replicas;
  private final AtomicLong changes = new AtomicLong();
  private final Map<KeyBytes, PendingWrite> writes = new ConcurrentHashMap<>();
  private final Map<Long, Set<PendingWrite>> byConnection = new ConcurrentHashMap<>();
  private final Queue<Recent> recent = new ConcurrentLinkedQueue<>();
  private final Set<ReplicaWait> waits = ConcurrentHashMap.newKeySet();
  private final LostNodes lost = new LostNodes();

  public PendingWrites(int replicas) {
    this.replicas = replicas;
  }

  private record Recent(PendingWrite write, long change, long atNanos) {}

  public void changed(byte[] key) {
    if (replicas > 0 || !ChunkKeys.isContentAddressed(key)) {
      long number = changes.incrementAndGet();
      long now = System.nanoTime();
      writes.compute(
          new KeyBytes(key),
          (_, known) -> {
            PendingWrite write = known == null ? new PendingWrite(key) : known;
            write.changed(number, now);
            if (replicas > 0) {
              recent.add(new Recent(write, number, now));
            }
            return write;
          });
    }
  }

  public void stored(long connection, byte[] key, long version) {
    writes.computeIfPresent(
        new KeyBytes(key),
        (_, write) -> {
          index(write, write.stored(connection, version), connection);
          return write;
        });
  }

  private void index(PendingWrite write, long before, long connection) {
    if (before != connection) {
      forget(write, before);
      byConnection.compute(
          connection,
          (_, set) -> {
            Set<PendingWrite> all = set == null ? ConcurrentHashMap.newKeySet() : set;
            all.add(write);
            return all;
          });
    }
  }

  private void forget(PendingWrite write, long connection) {
    byConnection.computeIfPresent(
        connection,
        (_, all) -> {
          all.remove(write);
          return all.isEmpty() ? null : all;
        });
  }

  /** Returns the version of a value that a client has stored, even if it is not here any more. */
  public long written(byte[] key) {
    PendingWrite write = writes.get(new KeyBytes(key));
    return write == null ? 0 : write.written();
  }

  /** Returns the number of the last change of a value, to be read before the value is. */
  public long lastChange() {
    return changes.get();
  }

  public void confirmed(int node, byte[] key, long version) {
    update(key, write -> write.confirmed(node, version));
  }

  /**
   * A value was read, to be offered without the directory.
   *
   * @param at {@link #lastChange} before the value was read; if it changed since, nothing happens
   */
  public void found(byte[] key, long at, long version) {
    update(key, write -> write.found(at, version));
  }

  /** A value was compared with the directory; there may be room for a missing copy. */
  public void checked(byte[] key, long at, long version, Collection<Integer> nodes, boolean room) {
    update(key, write -> write.checked(at, version, nodes, replicas, room));
  }

  /** The value is not in the main store any more, unless it has changed since. */
  public void removed(byte[] key, long at) {
    update(key, write -> write.removed(at));
  }

  private void update(byte[] key, Consumer<PendingWrite> update) {
    KeyBytes id = new KeyBytes(key);
    PendingWrite write = writes.get(id);
    if (write != null) {
      update.accept(write);
      writes.computeIfPresent(id, (_, each) -> each.isFinished() ? finished(each) : each);
      waits.forEach(wait -> wait.update(write));
    }
  }

  private @Nullable PendingWrite finished(PendingWrite write) {
    forget(write, write.writer());
    return null;
  }

  public void nodes(Set<Integer> others) {
    lost.nodes(others);
    writes.values().forEach(write -> write.retain(others));
    waits.forEach(wait -> wait.retain(others));
  }

  public int lostNodes() {
    return lost.count();
  }

  /** All values were checked, and their missing copies offered, since nodes were lost before. */
  public void allChecked(int before) {
    lost.checked(before, System.nanoTime());
  }

  /** Copies have arrived, of which the oldest without an answer has an age, 0 without any. */
  public void arrived(long oldestNanos) {
    lost.arrived(System.nanoTime(), oldestNanos);
    waits.forEach(ReplicaWait::refresh);
  }

  /** Passes the keys of all values that wait. */
  public void eachKey(Consumer<byte[]> action) {
    writes.values().forEach(write -> action.accept(write.key));
  }

  /** Returns the keys that have not been read for a time since they changed; each once. */
  public List<byte[]> late(long nanos) {
    long before = System.nanoTime() - nanos;
    List<byte[]> late = new ArrayList<>();
    for (Recent next = recent.peek();
        next != null && next.atNanos - before <= 0;
        next = recent.peek()) {
      Recent taken = recent.remove();
      if (taken.write.isUnread(taken.change)) {
        late.add(taken.write.key);
      }
    }
    return late;
  }

  /** Returns the age of the oldest value that waits for a copy for which a node has room. */
  public long lagNanos() {
    long now = System.nanoTime();
    return writes.values().stream()
        .mapToLong(write -> write.waitingNanos(now, replicas))
        .max()
        .orElse(0);
  }

  /**
   * Waits until other nodes have copies of all values that a connection has stored.
   *
   * @param wanted how many nodes
   * @param millis the longest time; 0 for no limit
   * @return how many nodes have all of them; the caller may complete it to end the wait
   */
  public CompletableFuture<Integer> await(long connection, long wanted, long millis) {
    Map<PendingWrite, Long> values = new HashMap<>();
    for (PendingWrite write : byConnection.getOrDefault(connection, Set.of())) {
      long version = write.versionOf(connection);
      if (version > 0) {
        values.put(write, version);
      }
    }
    ReplicaWait wait = new ReplicaWait(wanted, () -> lost.copies(replicas), values);
    waits.add(wait);
    var _ = wait.answer.whenComplete((_, _) -> waits.remove(wait));
    wait.refresh();
    if (millis > 0 && !wait.answer.isDone()) {
      wait.limit(millis);
    }
    return wait.answer;
  }
}
