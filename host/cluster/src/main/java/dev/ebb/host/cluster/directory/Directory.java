package dev.ebb.host.cluster.directory;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The entries of all values of the cluster. Thread-safe; no method waits. */
public interface Directory {

  /**
   * Reads entries, of all owners at the same time.
   *
   * @return those that exist; fails if an owner does not answer in time
   */
  CompletableFuture<Map<ValueId, DirectoryEntry>> get(Collection<ValueId> ids);

  /**
   * Merges changes into their entries, each atomically.
   *
   * @return the entries after the changes; those that do not exist any more are missing
   */
  CompletableFuture<Map<ValueId, DirectoryEntry>> update(Map<ValueId, Change> changes);

  /**
   * Compares the entries that the owners of a value have, and merges those that differ. While
   * entries move between nodes, a change can be lost at some owners.
   *
   * @return the values whose owners had different entries
   */
  CompletableFuture<Set<ValueId>> repair(Collection<ValueId> ids);

  /** Returns how many segments the directory has. */
  int segments();

  /**
   * Reads the entries of a segment without other nodes.
   *
   * @param segment 0 to {@code segments() - 1}
   * @return none if this node is not the first owner of the segment
   */
  Map<ValueId, DirectoryEntry> owned(int segment);

  CompletableFuture<Void> clear();

  /** Returns how many entries there are in the cluster, about. */
  long size();
}
