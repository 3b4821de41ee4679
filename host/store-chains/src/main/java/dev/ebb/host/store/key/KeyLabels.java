package dev.ebb.host.store.key;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The labels in an engine's key.
 *
 * @param facts its tenant, and its model as the workload; null if the key has none
 * @param rank the worker's number; -1 if the key names no model
 * @param partition the index of its part of the pool
 * @param uses uses of the model and by the tenant, as far as there are any
 * @param tiled whether the keys are of a client that looks all chunks of a prompt up at once, over
 *     several connections
 * @param group the number of the object group; 0 if the key names none
 */
public record KeyLabels(
    RequestFacts facts,
    int rank,
    int partition,
    List<UseCounters> uses,
    boolean tiled,
    int group,
    Model model) {

  static final KeyLabels NONE = of(RequestFacts.UNKNOWN, 0, List.of());

  static KeyLabels of(RequestFacts facts, int partition, List<UseCounters> uses) {
    return new KeyLabels(facts, -1, partition, uses, false, 0, new Model());
  }

  public ObjectGroups groups() {
    return model.groups();
  }

  /** Returns whether chunks of the model have an object for each of several groups. */
  public boolean isGrouped() {
    return model.isGrouped();
  }

  public @Nullable ObjectGroup groupKind() {
    ObjectGroups groups = groups();
    return model.source() == Model.Source.DEFAULT || group >= groups.size()
        ? null
        : groups.get(group);
  }

  /** Returns whether no lower rank was seen in keys of the model. */
  public boolean isOfFirstRank() {
    return rank < 0 || rank <= model.firstRank();
  }

  /**
   * Returns whether what a client does with a key stands for all keys of the chunk: no lower rank
   * was seen in keys of the model, and the group is the first one that needs all chunks.
   */
  boolean standsForAll() {
    return isOfFirstRank() && group == groups().firstFull();
  }

  /**
   * Returns whether a client reads the value of each chunk that it has found: of other groups it
   * reads the last ones only.
   */
  public boolean isOfFullGroup() {
    return group >= groups().size() || groups().isFull(group);
  }

  /** Returns whether a key has the same worker and object group. */
  public boolean isLike(KeyLabels other) {
    return rank == other.rank && group == other.group;
  }

  /** Returns whether the model has groups that do not need all chunks of a prompt. */
  public boolean isHybrid() {
    return model.isHybrid();
  }

  /**
   * Returns whether a request is over only when a missing object with such a key is stored: of a
   * model that is not hybrid, the first object of a chunk stands for it.
   */
  public boolean isAwaited() {
    return !isHybrid() || isOfFirstRank();
  }

  /** Returns whether reads of the object show which object groups the model has. */
  public boolean learnsGroups() {
    return isOfFirstRank() && group < ObjectGroups.MOST && model.learns();
  }

  /** Returns how many objects of a chunk a request waits for. */
  public int awaited() {
    return isHybrid() ? groups().size() : 1;
  }

  public void hit() {
    for (int i = 0; i < uses.size(); i++) {
      uses.get(i).hits.increment();
    }
  }

  public void missed() {
    for (UseCounters use : uses) {
      use.misses.increment();
    }
  }

  public void stored(long bytes) {
    for (UseCounters use : uses) {
      use.entries.increment();
      use.bytes.add(bytes);
    }
  }

  public void removed(long bytes, RemovalCause cause) {
    for (UseCounters use : uses) {
      use.removed(bytes, cause);
    }
  }
}
