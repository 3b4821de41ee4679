package dev.ebb.host.cluster.pending;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * A value of the main store that the directory does not list with all its replicas yet. One object
 * for each key, whatever is stored under it meanwhile. Thread-safe.
 */
final class PendingWrite {

  /** The version is newer than any other, so that no copy counts. */
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static final long NOBODY = -1;

  final byte[] key;

  private long change;
  private long changedNanos;
  private long version = UNKNOWN;
  private boolean unplaceable;
  private boolean listed;
  private boolean removed;

  /** The connection of the client that stored the newest version, and that version. */
  private long writer = NOBODY;

  private long written;

  /** The newest version that each other node has; most values have few copies, or none. */
  private Map<Integer, Long> copies = Map.of();

  PendingWrite(byte[] key) {
    this.key = key;
  }

  /** The value was stored, changed or removed; the version is unknown until it is read. */
  synchronized void changed(long number, long nowNanos) {
    change = number;
    changedNanos = nowNanos;
    version = UNKNOWN;
    unplaceable = false;
    listed = false;
    removed = false;
  }

  /** Returns the connection that had stored the value before. */
  synchronized long stored(long connection, long stored) {
    long before = writer;
    writer = connection;
    written = stored;
    return before;
  }

  synchronized void confirmed(int node, long confirmed) {
    if (copies.isEmpty()) {
      copies = HashMap.newHashMap(1);
    }
    copies.merge(node, confirmed, Math::max);
  }

  /** The value was read before a change; returns false if it has changed since. */
  synchronized boolean found(long at, long current) {
    if (change > at) {
      return false;
    }
    version = current;
    return true;
  }

  /**
   * The value was compared with the directory.
   *
   * @param nodes the other nodes that the directory lists
   * @param complete how many of them are enough
   * @param room whether another node has room for a missing copy
   */
  synchronized void checked(
      long at, long current, Collection<Integer> nodes, int complete, boolean room) {
    if (found(at, current)) {
      unplaceable = !room;
      listed = nodes.size() >= complete;
      nodes.forEach(node -> confirmed(node, current));
    }
  }

  synchronized void removed(long at) {
    removed = change <= at;
  }

  /** Forgets what other nodes have confirmed than these. */
  synchronized void retain(Set<Integer> nodes) {
    if (!copies.isEmpty()) {
      copies.keySet().retainAll(nodes);
    }
  }

  synchronized int copiesOf(long oldest) {
    return (int) copies.values().stream().filter(copy -> copy >= oldest).count();
  }

  synchronized boolean isRemoved() {
    return removed;
  }

  /** Returns whether nothing is left to wait for. */
  synchronized boolean isFinished() {
    return removed || listed;
  }

  synchronized long writer() {
    return writer;
  }

  synchronized long written() {
    return written;
  }

  /** Returns the version that a connection has stored; 0 if another one has stored the newest. */
  synchronized long versionOf(long connection) {
    return writer == connection ? written : 0;
  }

  /** Returns whether the value has not been read since a change. */
  synchronized boolean isUnread(long number) {
    return change == number && version == UNKNOWN && !removed;
  }

  /** Returns how long it has waited for copies for which a node has room. */
  synchronized long waitingNanos(long now, int complete) {
    return unplaceable || removed || copiesOf(version) >= complete ? 0 : now - changedNanos;
  }
}
